import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chownSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";

import { eventually } from "./harness/conditions.ts";
import { productBinary } from "./harness/binary.ts";
import { modernMessage, mirrored } from "./harness/http-client.ts";
import { rawPost } from "./harness/http-raw.ts";
import { HttpServer } from "./harness/http-server.ts";
import { fleetSize } from "./harness/test-fleet.ts";
import { isRoot, testMsMax } from "./harness/platform.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { onlyLong } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);

const nobody = 65_534;
const somebody = 65_533;
const isLinux = process.platform === "linux";
/** Only root can be another user too. */
const usersTest = test.skipIf(!isLinux || !isRoot || Bun.which("setpriv") === null);
/** A machine may have bubblewrap and let nobody use it. */
const bwrapTest = test.skipIf(
  !isLinux || !spawnsWell(["bwrap", "--dev-bind", "/", "/", "--", "true"]),
);

function spawnsWell(command: string[]): boolean {
  return Bun.which(command[0] ?? "") !== null && Bun.spawnSync(command).exitCode === 0;
}

const asUser = (uid: number): string[] => [
  "setpriv",
  `--reuid=${uid}`,
  `--regid=${uid}`,
  "--clear-groups",
];

/** The answer to a call of Bash over a connection that this user has made. */
async function callAs(uid: number, url: string, command: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const message = modernMessage(1, "tools/call", { name: "Bash", arguments: { command } });
  const body = JSON.stringify(message);
  const mirror = Object.entries(mirrored(message)).map(([name, value]) => `${name}: ${value}`);
  const headers = ["Content-Type: application/json", `Content-Length: ${body.length}`];
  const request = rawPost(url, [...headers, "Connection: close", ...mirror], body);
  const host = hostname.replace(/[[\]]/g, "");
  const script = `exec 3<>/dev/tcp/${host}/${port}; cat >&3; cat <&3`;
  const client = Bun.spawn([...asUser(uid), "bash", "-c", script], {
    stdin: Buffer.from(request),
    stdout: "pipe",
    stderr: "pipe",
  });
  return await client.stdout.text();
}

/** The product, started as this user in a home of its own. */
async function startAs(uid: number, home: TempFolder, args: string[]): Promise<HttpServer> {
  const command = [...asUser(uid), productBinary].map((word) => `'${word}'`).join(" ");
  const binary = home.write("start.sh", `#!/bin/sh\nexec ${command} "$@"\n`, 0o755);
  for (const path of [home.path, binary]) chownSync(path, uid, uid);
  return await HttpServer.start({ binary, home, args });
}

describe("without tokens", () => {
  usersTest.each(["127.0.0.1:0", "[::1]:0", ...onlyLong(["127.0.0.2:0", "localhost:0"])])(
    "[http.users] another user of this machine is refused at %s, and nothing runs",
    async (address) => {
      await using server = await HttpServer.start({ address });
      const mark = server.home.at("mark");
      const answer = await callAs(nobody, server.url, `touch ${mark}`);
      expect(answer).toStartWith("HTTP/1.1 403 ");
      expect(answer).toContain("--token-file");
      expect(answer).toContain("--allow-any-local-user");
      expect(existsSync(mark)).toBe(false);
      expect((await server.modern("tools/list")).status).toBe(200);
      expect(await callAs(0, server.url, `touch ${mark}`)).toStartWith("HTTP/1.1 200 ");
      expect(existsSync(mark)).toBe(true);
    },
  );

  usersTest("[http.users] who runs the server and root come in, and nobody else", async () => {
    using home = new TempFolder();
    await using server = await startAs(nobody, home, []);
    expect(await callAs(nobody, server.url, "id -u")).toContain("65534\\n");
    expect(await callAs(0, server.url, "id -u")).toContain("65534\\n");
    expect(await callAs(somebody, server.url, "id -u")).toStartWith("HTTP/1.1 403 ");
  });

  // Behind a proxy every request is the proxy's.
  const portTest = Bun.which("python3") === null || fleetSize > 1 ? test.skip : usersTest;
  portTest("[http.users] a port that goes to another user is asked about again", async () => {
    await using server = await HttpServer.start();
    const { port } = new URL(server.url);
    // One port for both: closed with a reset, it is free at once.
    const script = [
      "import os, socket, struct, sys",
      "def ask(port):",
      "    s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)",
      "    s.bind(('127.0.0.1', port)); s.connect(('127.0.0.1', int(sys.argv[1])))",
      "    for _ in range(2):",
      "        s.sendall(b'OPTIONS /mcp HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n')",
      "        s.recv(9999)",
      "    s.sendall(b'PUT /mcp HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 0\\r\\n\\r\\n')",
      "    print(s.recv(9999).split()[1].decode()); port = s.getsockname()[1]",
      "    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0)); s.close()",
      "    return port",
      "port = ask(0); ask(port); os.setuid(65534); ask(port)",
    ].join("\n");
    const client = Bun.spawn(["python3", "-c", script, port], {
      stdout: "pipe",
      stderr: "inherit",
    });
    expect((await client.stdout.text()).trim().split("\n")).toEqual(["405", "405", "403"]);
  });

  usersTest("[http.users] health is for everybody", async () => {
    await using server = await HttpServer.start();
    const { port } = new URL(server.url);
    const script = `exec 3<>/dev/tcp/127.0.0.1/${port}; printf 'GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3`;
    const client = Bun.spawn([...asUser(nobody), "bash", "-c", script], { stdout: "pipe" });
    expect(await client.stdout.text()).toStartWith("HTTP/1.1 200 ");
  });

  usersTest(
    "[http.users] with --allow-any-local-user everybody comes in, said at start",
    async () => {
      await using server = await HttpServer.start({ args: ["--allow-any-local-user"] });
      await eventually("it on stderr", () =>
        server.stderr.includes("every account of this machine can run commands as you"),
      );
      expect(await callAs(nobody, server.url, "id -u")).toContain("0\\n");
    },
  );
});

/** A seccomp filter with which no netlink socket can be made, in the byte order of the machine. */
function withoutNetlink(): Uint8Array {
  const socket = process.arch === "arm64" ? 198 : 41;
  const [load, jumpIfEqual, end] = [0x20, 0x15, 0x06];
  const [numberAt, firstArgumentAt] = [0, 16];
  const [netlink, fails, allowed] = [16, 0x50000 | 97, 0x7fff0000];
  const rows = [
    [load, 0, 0, numberAt],
    [jumpIfEqual, 0, 3, socket],
    [load, 0, 0, firstArgumentAt],
    [jumpIfEqual, 0, 1, netlink],
    [end, 0, 0, fails],
    [end, 0, 0, allowed],
  ] as const;
  const bytes = Buffer.alloc(rows.length * 8);
  rows.forEach(([code, yes, no, value], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.set([yes, no], index * 8 + 2);
    bytes.writeUInt32LE(value, index * 8 + 4);
  });
  return bytes;
}

/** Starts the product where the system does not tell whose a connection is. */
function startBlind(home: TempFolder, args: string[] = []): Promise<HttpServer> {
  writeFileSync(home.at("filter"), withoutNetlink());
  const command = `bwrap --dev-bind / / --die-with-parent --seccomp 3 -- '${productBinary}' "$@" 3<'${home.at("filter")}'`;
  const binary = home.write("start.sh", `#!/bin/sh\nexec ${command}\n`, 0o755);
  return HttpServer.start({ binary, home, args });
}

describe("where the system does not tell which user connects", () => {
  bwrapTest("[http.own-token] a token is made, shown once, kept, and needed", async () => {
    using home = new TempFolder();
    const file = home.at(".scorpiox/http-token");
    let token = "";
    {
      await using server = await startBlind(home);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      token = /^local (\w{64})$/m.exec(readFileSync(file, "utf8"))?.[1] ?? "none";
      expect(server.stdout).not.toContain(token);
      await eventually("it on stderr", () =>
        server.stderr.includes(
          `claude mcp add --transport http scorpiox ${server.url} --header "Authorization: Bearer ${token}"`,
        ),
      );
      const refused = await server.client.fetch({ body: "{}" });
      expect(refused.status).toBe(401);
      expect(await refused.text()).toContain(`it is in ${file}.`);
      expect((await server.client.withToken(token).modern("tools/list")).status).toBe(200);
    }
    await using again = await startBlind(home);
    await eventually("it on stderr", () => again.stderr.includes(file));
    expect(again.stderr).not.toContain(token);
    expect((await again.client.withToken(token).modern("tools/list")).status).toBe(200);
  });

  bwrapTest("[http.own-token] not with --allow-any-local-user", async () => {
    using home = new TempFolder();
    await using server = await startBlind(home, ["--allow-any-local-user"]);
    expect((await server.modern("tools/list")).status).toBe(200);
    expect(existsSync(home.at(".scorpiox/http-token"))).toBe(false);
  });
});
