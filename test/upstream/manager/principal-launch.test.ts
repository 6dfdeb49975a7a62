import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { defaultServerOptions } from "../../../src/upstream/config/entry-options.ts";
import type { ConfiguredServer, StdioLaunch } from "../../../src/upstream/config/server-entry.ts";
import { principalMarks } from "../../../src/upstream/config/text-expander.ts";
import { launchFor } from "../../../src/upstream/manager/principal-launch.ts";

const scorpioxDir = mkdtempSync(join(tmpdir(), "scorpiox-principals-"));
afterAll(() => rmSync(scorpioxDir, { recursive: true }));

function serverOf(launch: StdioLaunch, inheritEnv: readonly string[] = []): ConfiguredServer {
  return {
    entry: {
      name: "s",
      isEnabled: true,
      launch,
      options: { ...defaultServerOptions, inheritEnv },
      origin: { rank: 2, trust: "user", scope: "global" },
    },
    identity: "",
    shadowed: [],
  };
}

const stdio = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): StdioLaunch => {
  return { transport: "stdio", command: "npx", args, env };
};

const several = { scorpioxDir, principals: "several", isolation: "user" } as const;

describe("launchFor()", () => {
  test("fills in who it is for, and makes a private folder for it", () => {
    const { principal, principalDir } = principalMarks;
    const written = serverOf(stdio(["${principal}"], { DIR: "${principalDir}/x" }));
    const launch = stdio([`a ${principal}`], { DIR: `${principalDir}/x` });
    const filled = launchFor(written, launch, "token:a/../b", several);
    const [name = ""] = /token-a-b-[0-9a-f]{32}/.exec(JSON.stringify(filled)) ?? [];
    const dir = join(scorpioxDir, "principals", name);
    expect(filled).toEqual(stdio([`a ${name}`], { DIR: join(dir, "x") }));
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(launchFor(written, launch, "token:a-b", several)).not.toEqual(filled);
  });

  test.each([
    ["nobody", several],
    ["local", { ...several, principals: undefined, isolation: "shared" }],
    ["everybody", { ...several, isolation: "shared" }],
  ] as const)("without an owner it is for %s", (name, parts) => {
    const written = serverOf(stdio(["${principal}"]));
    const launch = stdio([principalMarks.principal]);
    expect(launchFor(written, launch, undefined, parts)).toEqual(stdio([name]));
  });

  const memory = "@modelcontextprotocol/server-memory";
  test.each<[string, StdioLaunch, readonly string[], object, boolean]>([
    ["its package", stdio(["-y", memory]), [], several, true],
    ["its package with a version", stdio(["-y", `${memory}@1.2.3`]), [], several, true],
    ["its file", stdio([`/x/node_modules/${memory}/dist/index.js`]), [], several, true],
    ["its program", { ...stdio([]), command: "/bin/mcp-server-memory" }, [], several, true],
    ["another package", stdio(["-y", `${memory}-other`]), [], several, false],
    ["a file of the entry's", stdio([memory], { MEMORY_FILE_PATH: "/a" }), [], several, false],
    ["a file of the user's", stdio([memory]), ["MEMORY_FILE_PATH"], several, false],
    ["one for all", stdio([memory]), [], { ...several, isolation: "shared" }, false],
    ["one person", stdio([memory]), [], { ...several, principals: undefined }, false],
  ])("the official memory server by %s", (_how, launch, inherited, parts, isSet) => {
    const filled = launchFor(serverOf(launch, inherited), launch, "token:a", {
      ...several,
      ...parts,
    });
    const path = filled.transport === "stdio" ? filled.env["MEMORY_FILE_PATH"] : undefined;
    expect(path?.startsWith(join(scorpioxDir, "principals", "token-a-")) === true).toBe(isSet);
  });
});
