import { describe, expect } from "bun:test";
import { chmodSync, copyFileSync } from "node:fs";
import { join } from "node:path";

import { HubFault } from "../../../src/hub/link/hub-place.ts";
import { readRecord } from "../../../src/hub/link/hub-lock.ts";
import { isRoot, posixTest, testMsMax } from "../../e2e/harness/platform.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";
import { HubYard } from "./hub-yard.ts";

const visitorFixture = join(import.meta.dir, "fixtures/visitor.ts");
const python = Bun.which("python3");
const pythonVisitor = `
import socket, sys
hub = socket.socket(socket.AF_UNIX)
hub.connect(sys.argv[1])
print(hub.recv(4096)[4:].decode())
`;

/** The same program as another file. */
function copyOfProgram(home: TempFolder, name: string): string {
  const path = home.at(name);
  copyFileSync(process.execPath, path);
  chmodSync(path, 0o700);
  return path;
}

/** The first thing that a hub says to a process that has started and connects to it. */
async function saidTo(
  yard: HubYard,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
): Promise<unknown> {
  const socket = readRecord(yard.place)?.socket ?? "";
  await using child = Bun.spawn([...words, socket, ...more], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(await child.stdout.text());
}

const ownVisitor = [process.execPath, visitorFixture];

describe("a process that connects to the hub", () => {
  posixTest(
    "of this program, and started by a person's client, is asked for its proof",
    async () => {
      await using yard = new HubYard();
      await yard.reach();
      expect(await saidTo(yard, ownVisitor)).toEqual({
        generation: 1,
        nonce: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
    },
  );

  posixTest("with an owner mark in its environment is refused", async () => {
    await using yard = new HubYard();
    await yard.reach();
    expect(await saidTo(yard, ownVisitor, { SCORPIOX_OWNER: "abc.1" })).toEqual({
      refused: expect.stringMatching(
        /^process \d+ carries the mark of processes that servers start$/,
      ),
    });
    expect(yard.log.filter((line) => line.includes("carries the mark"))).toHaveLength(1);
  });

  posixTest("with the same program in another file is refused", async () => {
    using home = new TempFolder();
    await using yard = new HubYard();
    await yard.reach();
    expect(await saidTo(yard, [copyOfProgram(home, "bun"), visitorFixture])).toEqual({
      refused: "it runs another program than the hub",
    });
  });

  posixTest.skipIf(python === null)("of another program is refused", async () => {
    await using yard = new HubYard();
    await yard.reach();
    expect(await saidTo(yard, [python ?? "", "-c", pythonVisitor])).toEqual({
      refused: "it runs another program than the hub",
    });
  });

  posixTest.skipIf(process.platform !== "linux")("below a server is refused", async () => {
    using home = new TempFolder();
    await using yard = new HubYard();
    await yard.reach();
    const server = copyOfProgram(home, "scorpiox-code");
    const said = await saidTo(yard, [server, visitorFixture], {}, [process.execPath]);
    expect(said).toEqual({
      refused: expect.stringMatching(/^a server \(process \d+\) has started it$/),
    });
  });

  posixTest.skipIf(!isRoot)("of another user does not even get there", async () => {
    await using yard = new HubYard();
    await yard.reach();
    const socket = readRecord(yard.place)?.socket ?? "";
    const script = `Bun.connect({ unix: ${JSON.stringify(socket)}, socket: { data() {} } }).catch((e) => console.log(e.code))`;
    await using child = Bun.spawn([process.execPath, "-e", script], {
      cwd: "/",
      uid: 65_534,
      stdio: ["ignore", "pipe", "inherit"],
    });
    expect((await child.stdout.text()).trim()).toBe("EACCES");
  });

  posixTest("is a client with a reason to be refused: it does without a hub", async () => {
    await using yard = new HubYard();
    const { link } = await yard.reach();
    for (let count = 1; count < 8; count++) await yard.reach();
    const error = await yard.reach().catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(HubFault);
    expect(String(error)).toBe(
      "AppError: the hub refused this process: it has 8 connections already",
    );
    link.close();
  });
});

describe("a client that finds another than its hub", () => {
  posixTest(
    "does not prove the key to it",
    async () => {
      using home = new TempFolder();
      await using yard = new HubYard();
      // A hub of the same name, in another file.
      const { command = [], args } = yard.start();
      await using other = Bun.spawn([copyOfProgram(home, "bun"), ...command.slice(1), ...args], {
        stdio: ["ignore", "ignore", "inherit"],
      });
      while (readRecord(yard.place)?.socket === undefined) await Bun.sleep(5);
      const error = await yard.reach().catch((fault: unknown) => fault);
      expect(String(error)).toBe(
        "AppError: the hub refused this process: it runs another program than this process",
      );
      other.kill("SIGKILL");
    },
    testMsMax,
  );
});
