// Runs inside of the program, before its own code: speaks to the hub as a process whose executable is the hub's own.
const { readFileSync, renameSync, writeFileSync, writeSync } = require("node:fs");
const { createHmac, randomBytes } = require("node:crypto");
const { connect } = require("node:net");

const facts = JSON.parse(readFileSync(process.env.FACTS, "utf8"));
/** Of the pipe that all processes of an attempt have. */
const writingEnd = 198;
const tell = (word, detail) => {
  writeSync(writingEnd, `RESULT ${word} ${JSON.stringify(detail)}\n`);
  writeFileSync(`${facts.result}.new`, `RESULT ${word} ${JSON.stringify(detail)}\n`);
  renameSync(`${facts.result}.new`, facts.result);
};
const frame = (value) => {
  const text = Buffer.from(JSON.stringify(value));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(text.length);
  return Buffer.concat([head, text]);
};
try {
  const record = JSON.parse(readFileSync(`${facts.place}/lock`, "utf8"));
  const key = readFileSync(`${facts.place}/key`, "utf8");
  const link = connect(record.socket);
  let bytes = Buffer.alloc(0);
  let isDone = false;
  const done = (word, detail) => {
    if (!isDone) tell(word, detail);
    isDone = true;
  };
  const take = (value) => {
    if (value.refused !== undefined) done("refused", value.refused);
    else if (value.admitted) done("entered", "admitted");
    else if (value.proof) link.write(frame({ purpose: "watch", clientKey: "0123456789abcdef" }));
    else if (value.nonce) {
      const nonce = randomBytes(32).toString("hex");
      const words = [record.generation, record.pid, process.pid, value.nonce, nonce];
      const text = ["scorpiox-hub 1", "client", ...words].join("\n");
      const proof = createHmac("sha256", Buffer.from(key, "hex")).update(text).digest("hex");
      link.write(frame({ nonce, proof }));
    }
  };
  link.on("data", (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 4 && bytes.length >= 4 + bytes.readUInt32LE(0)) {
      const length = bytes.readUInt32LE(0);
      take(JSON.parse(bytes.subarray(4, 4 + length).toString()));
      bytes = bytes.subarray(4 + length);
    }
  });
  link.on("error", (error) => done("refused", String(error)));
  link.on("close", () => done("refused", "closed"));
} catch (error) {
  tell("refused", String(error));
}
