import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { chmodSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";

import { fileRemedy } from "../../src/cli/doctor/finding.ts";
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
  trial,
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
    "an entry with a flag that the program does not know",
    {
      files: { "home/.cursor/x": "" },
      prepare(tree) {
        const entry = { command: tree.path(program), args: ["--old-flag"] };
        tree.put(
          "home/.cursor/mcp.json",
          JSON.stringify({ mcpServers: { "scorpiox-code": entry } }),
        );
      },
      services: {
        tryClientEntry: (words) =>
          words.includes("--old-flag")
            ? Promise.reject(new Error("unknown flag --old-flag"))
            : Promise.resolve(trial),
      },
    },
    /^the entry of Cursor does not start: unknown flag --old-flag$/,
    /^scorpiox-code install cursor$/,
  ],
  [
    "the same, started with --as",
    {
      words: ["--as", "cursor"],
      files: { "home/.cursor/x": "" },
      prepare(tree) {
        const entry = { command: tree.path(program), args: ["--old-flag"] };
        tree.put(
          "home/.cursor/mcp.json",
          JSON.stringify({ mcpServers: { "scorpiox-code": entry } }),
        );
      },
      services: { tryClientEntry: () => Promise.reject(new Error("unknown flag --old-flag")) },
    },
    /^as cursor-vscode the program does not start: unknown flag --old-flag$/,
    /^scorpiox-code install cursor$/,
  ],
  [
    "a server whose reason begins in its second line",
    {
      files: docs,
      services: tried({ state: "failed", reason: "npx failed:\nno network\nx" }, false),
    },
    /^docs does not work: npx failed: no network$/,
    /mcp test docs$/,
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
        {
          state: "failed",
          reason:
            'The server docs was not started: the program "npx" was not found. Searched: /a.b/c, /d. Install Node.js (https://nodejs.org), or write its full path.',
        },
        false,
      ),
    },
    /^docs does not work: the program "npx" was not found$/,
    /^Install Node\.js \(https:\/\/nodejs\.org\), or write its full path$/,
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
    const [finding] = folderFindings(home, join(home, "x"), { problemOf: () => problem });
    expect(tree.relative(finding?.text ?? "").replaceAll(home, "home")).toMatch(text);
    expect({ state: finding?.state, remedy: finding?.remedy }).toEqual({
      state: "fault",
      remedy: expect.stringMatching(remedy),
    });
  });

  test("files of another user, as sudo leaves them", () => {
    using tree = new TempTree({ "home/.scorpiox/config.toml": "" });
    const [home, folder] = [tree.path("home"), tree.path("home/.scorpiox")];
    chmodSync(folder, 0o700);
    const { uid } = statSync(folder);
    const texts = (whose: number): unknown =>
      folderFindings(home, folder, { problemOf: () => undefined, uid: whose }).map(
        ({ state, text, remedy }) => [state, tree.relative(text), tree.relative(remedy ?? "")],
      );
    expect(texts(uid)).toEqual([["ok", "nobody else can write to home/.scorpiox", ""]]);
    expect(texts(uid + 1)).toEqual([
      [
        "fault",
        "other users own config.toml in home/.scorpiox, perhaps since a command ran under sudo",
        'sudo chown -R "$(id -u)" home/.scorpiox',
      ],
    ]);
  });

  test.each([
    [
      "/h/x: this file may not be read by this user; it is ignored",
      'sudo chown -R "$(id -u)" /h/x',
    ],
    ["/h/x:1: NEW is not a key", "correct"],
  ])("the remedy of %j", (message, remedy) => {
    expect(fileRemedy(message, "correct")).toBe(remedy);
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
