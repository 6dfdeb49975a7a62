import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { chmodSync, utimesSync } from "node:fs";
import { join } from "node:path";

import { spaceFinding } from "../../src/cli/doctor/machine.ts";
import { folderFindings, quarantineFindings } from "../../src/cli/doctor/program.ts";
import { TempTree } from "../config/temp-tree.ts";
import {
  type Case,
  docs,
  expectFault,
  type FaultCase,
  findingsOf,
  program,
  storeFile,
  treeOf,
  tried,
} from "./doctor-run.ts";

/** The head of an executable for another processor or system. */
function head(kind: "elf" | "mach", machine: number): Uint8Array {
  const bytes = Buffer.alloc(512);
  if (kind === "elf") {
    bytes.writeUInt32BE(0x7f454c46, 0);
    bytes.writeUInt16LE(machine, 18);
  } else {
    bytes.writeUInt32LE(0xfeedfacf, 0);
    bytes.writeUInt32LE(machine, 4);
  }
  return bytes;
}

/** The program of an entry, which this machine cannot run. */
function foreign(bytes: Uint8Array): Case {
  return {
    files: { "home/.cursor/x": "", "opt/scorpiox-code": bytes },
    prepare(tree) {
      chmodSync(tree.path("opt/scorpiox-code"), 0o755);
      const entry = { command: tree.path("opt/scorpiox-code") };
      tree.put("home/.cursor/mcp.json", JSON.stringify({ mcpServers: { "scorpiox-code": entry } }));
    },
  };
}

const otherProcessor = process.arch === "x64" ? 0xb7 : 0x3e;

/** What goes wrong on machines of users, around the program rather than in it. */
const cases: readonly FaultCase[] = [
  [
    "a program for another processor",
    foreign(head("elf", otherProcessor)),
    /Cursor .* starts opt\/scorpiox-code, a program for linux (?:arm64|x64): this is/,
    /install cursor$/,
  ],
  [
    "a program for another system",
    foreign(head("mach", process.platform === "darwin" ? 0 : 0x100000c)),
    /a program for darwin arm64: this is/,
    /install cursor$/,
  ],
  [
    "a clock that is wrong",
    {
      prepare: (tree) => {
        const later = Date.now() / 1_000 + 10 * 24 * 3_600;
        utimesSync(tree.path(program), later, later);
      },
    },
    /^the clock says \d{4}-\d\d-\d\d, but home\/\.scorpiox\/scorpiox-code is of \d{4}/,
    /^set the clock/,
  ],
  [
    "tasks of a newer version",
    {
      prepare: (tree) => {
        using store = new Database(tree.path(storeFile));
        store.run("PRAGMA user_version = 9999");
      },
    },
    /were written by a newer version/,
    /^scorpiox-code update$/,
  ],
  [
    "a key of a newer version",
    { files: { "home/.scorpiox/scorpiox-env.txt": "NEW_THING=1\n" } },
    /NEW_THING is not a key of this version/,
    /^correct/,
  ],
  [
    "a proxy that is no URL",
    { env: { HTTPS_PROXY: "http://" } },
    /^HTTPS_PROXY is not a proxy URL/,
    /^correct the variable$/,
  ],
  [
    "a proxy of a kind that we do not speak",
    { env: { ALL_PROXY: "socks5://127.0.0.1:9" } },
    /^ALL_PROXY names a socks5:\/\/ proxy/,
    /^correct the variable$/,
  ],
  [
    "a proxy that is not there",
    { env: { https_proxy: "http://me:secret@127.0.0.1:1" } },
    /^the proxy http:\/\/127\.0\.0\.1:1 cannot be reached/,
    /^correct HTTPS_PROXY/,
  ],
  [
    "no Node.js for a server that npx starts",
    {
      files: docs,
      services: tried(
        { state: "failed", reason: 'the program "npx" was not found. Install Node.js' },
        false,
      ),
    },
    /^docs does not work: the program "npx" was not found\. Install Node\.js/,
    /mcp test docs$/,
  ],
];

describe("[IN20] doctor finds each of these faults and names its remedy", () => {
  test.each(cases)("%s", (_name, fault, text, remedy) => expectFault(fault, text, remedy));
});

describe("[IN20] what a test cannot bring about on every machine", () => {
  test.each([
    ["EACCES", /^home cannot be written \(no\), so that home\/x cannot be made$/, /^sudo chown/],
    ["EROFS", /^home cannot be written/, /^set SCORPIOX_HOME to a folder/],
  ])("a home that cannot be written (%s)", (code, text, remedy) => {
    using tree = new TempTree();
    const problem = Object.assign(new Error("no"), { code });
    const home = tree.path("home");
    const [finding] = folderFindings(home, join(home, "x"), () => problem);
    expect(tree.relative(finding?.text ?? "").replaceAll(home, "home")).toMatch(text);
    expect({ state: finding?.state, remedy: finding?.remedy }).toEqual({
      state: "fault",
      remedy: expect.stringMatching(remedy),
    });
  });

  const roomy = { bavail: 1e6, bsize: 4_096, files: 1e6, ffree: 1e6 };
  test.each([
    ["room", {}, "ok", undefined],
    ["bytes at the bound", { bavail: 500_000_000, bsize: 1 }, "ok", undefined],
    [
      "a byte less",
      { bavail: 499_999_999, bsize: 1 },
      "fault",
      "free some space: outputs and tasks may not be saved",
    ],
    ["no files left", { ffree: 999 }, "fault", "remove small files you do not need (df -i)"],
    ["a file system that does not count", { files: 0, ffree: 0 }, "ok", undefined],
  ])("a disk with %s", (_name, stats, state, remedy) => {
    const finding = spaceFinding("/x", { ...roomy, ...stats });
    expect({ state: finding.state, remedy: finding.remedy }).toEqual({
      state: state as "ok",
      remedy,
    });
  });

  test.each([
    [0, 1],
    [1, 0],
  ])("quarantine, where xattr ends with %d: %d findings", async (exitCode, count) => {
    const asked: unknown[] = [];
    const found = await quarantineFindings("/x/scorpiox-code", (words) => {
      asked.push(words);
      return Promise.resolve({ exitCode, output: "0083;5f;Safari;" });
    });
    expect(asked).toEqual([["/usr/bin/xattr", "-p", "com.apple.quarantine", "/x/scorpiox-code"]]);
    expect(found.map(({ remedy }) => remedy)).toEqual(
      Array.from({ length: count }, () => "xattr -d com.apple.quarantine /x/scorpiox-code"),
    );
  });
});

describe("doctor on PATH and other copies", () => {
  const copy = (tree: TempTree): string => tree.path("other");
  test.each([
    [["other"], "your shell starts another copy: other/scorpiox-code"],
    [["other", "home/.scorpiox"], "your shell starts another copy: other/scorpiox-code"],
    [["home/.scorpiox", "other"], "there is another copy on PATH: other/scorpiox-code"],
    [["home/.scorpiox"], undefined],
  ])("PATH=%j", async (folders, text) => {
    using tree = treeOf({ files: { "other/scorpiox-code": "#!/bin/sh\n" } });
    chmodSync(join(copy(tree), "scorpiox-code"), 0o755);
    const env = { PATH: folders.map((folder) => tree.path(folder)).join(":") };
    const notes = (await findingsOf(tree, { env })).filter((one) =>
      one.text.includes("another copy"),
    );
    expect(notes.map((one) => tree.relative(one.text))).toEqual(text === undefined ? [] : [text]);
  });
});
