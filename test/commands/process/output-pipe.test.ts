import { expect, spyOn, test } from "bun:test";
import { closeSync, writeSync } from "node:fs";

import { type Libc, loadLibc } from "../../../src/commands/process/libc.ts";
import { OutputPipe } from "../../../src/commands/process/output-pipe.ts";
import { until } from "./until.ts";

const libc = loadLibc() as Libc;

test("finish: at the end of a streamed output the loop is left alone", async () => {
  const [readFd, writeFd] = libc.createPipe();
  let text = "";
  const pipe = new OutputPipe(libc, readFd, (chunk) => void (text += Buffer.from(chunk)));
  pipe.start();
  writeSync(writeFd, "first ");
  await until(() => text === "first ");
  writeSync(writeFd, "last");
  closeSync(writeFd);
  const turn = globalThis.setImmediate;
  const turns = spyOn(globalThis, "setImmediate");
  try {
    await pipe.finish();
    expect(text).toBe("first last");
    const taken = turns.mock.calls.length;
    for (let own = 0; own < 20; own++) await new Promise<void>((resolve) => turn(resolve));
    expect(turns.mock.calls.length - taken).toBeLessThan(3);
  } finally {
    turns.mockRestore();
  }
});
