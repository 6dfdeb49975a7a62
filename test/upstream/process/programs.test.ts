import { describe, expect, test } from "bun:test";

import {
  findProgram,
  missingProgram,
  type ProgramProbe,
} from "../../../src/upstream/process/find-program.ts";
import {
  batchArguments,
  isBatchFile,
  withoutPrompts,
} from "../../../src/upstream/process/prepare-launch.ts";

describe("[GW-34] npx and its like are told not to ask", () => {
  test.each<[command: string, args: string[], expected: string[]]>([
    ["npx", ["server"], ["-y", "server"]],
    ["npx", ["-y", "server"], ["-y", "server"]],
    ["npx", ["--yes", "server"], ["--yes", "server"]],
    ["npx", ["--no", "server"], ["--no", "server"]],
    ["npx", ["-p", "a", "-y", "b"], ["-p", "a", "-y", "b"]],
    ["npx", ["server", "-y"], ["-y", "server", "-y"]],
    ["npx", ["--", "-y"], ["-y", "--", "-y"]],
    ["npx", [], ["-y"]],
    ["/opt/node/bin/npx", ["server"], ["-y", "server"]],
    ["C:\\node\\NPX.CMD", ["server"], ["-y", "server"]],
    ["npm", ["exec", "server"], ["exec", "-y", "server"]],
    ["npm", ["x", "--yes", "server"], ["x", "--yes", "server"]],
    ["npm", ["start"], ["start"]],
    ["bunx", ["server"], ["server"]],
    ["uvx", ["server"], ["server"]],
    ["node", ["npx"], ["npx"]],
  ])("%s %j is started with %j", (command, args, expected) => {
    expect(withoutPrompts(command, args)).toEqual(expected);
  });
});

const probeOf =
  (files: readonly string[], refused: readonly string[] = []): ProgramProbe =>
  (path) =>
    Promise.resolve(
      files.includes(path) ? "program" : refused.includes(path) ? "not-executable" : "none",
    );

describe("[GW-34] a program is found as the system would", () => {
  const unix = { cwd: "/project", env: { PATH: "/a::/b:/a" }, platform: "linux" } as const;
  test.each<[command: string, files: string[], refused: string[], expected: object]>([
    ["tool", ["/b/tool"], [], { kind: "found", path: "/b/tool" }],
    ["tool", ["/a/tool", "/b/tool"], [], { kind: "found", path: "/a/tool" }],
    ["tool", ["/b/tool"], ["/a/tool"], { kind: "found", path: "/b/tool" }],
    ["tool", [], ["/a/tool"], { kind: "not-executable", path: "/a/tool" }],
    ["tool", ["/project/tool"], [], { kind: "missing", searched: ["/a", "/b"] }],
    ["./tool", ["/project/tool"], [], { kind: "found", path: "/project/tool" }],
    ["bin/tool", [], [], { kind: "missing", searched: ["/project/bin/tool"] }],
    ["/x/tool", ["/x/tool"], [], { kind: "found", path: "/x/tool" }],
  ])("%s with %j", async (command, files, refused, expected) => {
    const probe = probeOf(files, refused);
    expect(await findProgram({ ...unix, command, probe })).toEqual(expected as never);
  });

  const windows = {
    cwd: "C:\\project",
    env: { Path: '"C:\\node";C:\\tools', PATHEXT: ".COM;.EXE;.BAT;.CMD;.VBS;.JS" },
    platform: "win32",
  } as const;
  test.each<[command: string, files: string[], expected: object]>([
    ["npx", ["C:\\node\\npx.cmd"], { kind: "found", path: "C:\\node\\npx.cmd" }],
    ["npx", ["C:\\node\\npx"], { kind: "missing", searched: ["C:\\node", "C:\\tools"] }],
    ["npx.cmd", ["C:\\node\\npx.cmd"], { kind: "found", path: "C:\\node\\npx.cmd" }],
    [
      "uvx",
      ["C:\\tools\\uvx.exe", "C:\\tools\\uvx.bat"],
      { kind: "found", path: "C:\\tools\\uvx.exe" },
    ],
    ["run", ["C:\\node\\run.vbs"], { kind: "missing", searched: ["C:\\node", "C:\\tools"] }],
    [
      ".\\my.tool",
      ["C:\\project\\my.tool.exe"],
      { kind: "found", path: "C:\\project\\my.tool.exe" },
    ],
    ["bin/x.exe", ["C:\\project\\bin\\x.exe"], { kind: "found", path: "C:\\project\\bin\\x.exe" }],
  ])("Windows: %s with %j", async (command, files, expected) => {
    expect(await findProgram({ ...windows, command, probe: probeOf(files) })).toEqual(
      expected as never,
    );
  });
});

describe("[GW-34] arguments of batch files", () => {
  test.each<[arg: string, expected: string]>([
    ["plain", '"plain"'],
    ["", '""'],
    ["two words", '"two words"'],
    ["a&b|c<d>e^f(g)", '"a&b|c<d>e^f(g)"'],
    ["C:\\dir\\", '"C:\\dir\\\\"'],
    ["C:\\dir\\x", '"C:\\dir\\x"'],
  ])("%j is passed as %s", (arg, expected) => {
    expect(batchArguments("s", [arg])).toEqual([expected]);
  });

  test.each(['a"b', "%PATH%", "50%", "wow!", "a\nb", "a\rb", "\0"])("%j is refused", (arg) => {
    expect(() => batchArguments("s", ["ok", arg])).toThrow(
      /^The server s was not started: one of its arguments contains ".*" *, which cannot be passed safely/,
    );
  });

  test.each([
    ["C:\\x\\npx.cmd", true],
    ["C:\\x\\NPX.BAT", true],
    ["C:\\x\\npx.cmd. .", true],
    ["C:\\x\\npx.exe", false],
    ["C:\\cmd\\x", false],
  ])("isBatchFile: %s is %s", (path, isBatch) => {
    expect(isBatchFile(path)).toBe(isBatch);
  });
});

test("[GW-34] of a long PATH thirty folders are named", () => {
  const searched = Array.from({ length: 33 }, (_, at) => `/folder/${at}`);
  const { message } = missingProgram("s", "uvx", searched);
  expect(message).toContain("/folder/29 and 3 more. Install uv (https://docs.astral.sh/uv), or ");
  expect(message).not.toContain("/folder/30");
  expect(missingProgram("s", "tool", []).message).toContain("there is no PATH to search");
});
