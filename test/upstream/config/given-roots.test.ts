import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { defaultServerOptions } from "../../../src/upstream/config/entry-options.ts";
import { givenRoots } from "../../../src/upstream/config/given-roots.ts";
import type {
  RootsRule,
  ServerEntry,
  ServerLaunch,
} from "../../../src/upstream/config/server-entry.ts";

const home = realpathSync(mkdtempSync(join(tmpdir(), "scorpiox-roots-")));
afterAll(() => rmSync(home, { recursive: true }));
const projectDir = join(home, "project");
const data = join(home, "data");
for (const folder of [projectDir, data, join(projectDir, "src")]) mkdirSync(folder);
writeFileSync(join(projectDir, "server.js"), "");

function given(
  launch: ServerLaunch,
  roots?: RootsRule,
  trust: "user" | "project" = "user",
): ReturnType<typeof givenRoots> {
  const entry: ServerEntry = {
    name: "s",
    isEnabled: true,
    launch,
    options: { ...defaultServerOptions, ...(roots === undefined ? {} : { roots }) },
    origin: { rank: 1, trust, scope: "global" },
  };
  return givenRoots(entry, launch, { homeDir: home, projectDir });
}

const stdio = (...[command = "", ...args]: readonly string[]): ServerLaunch => {
  return { transport: "stdio", command, args, env: {}, cwd: projectDir };
};

test.each([
  ["no argument", ["server"], "client"],
  ["a folder", ["server", data], "none"],
  ["a relative folder", ["server", "src"], "none"],
  ["the folder that it is started in", ["npx", "-y", "@scope/server-filesystem", "."], "none"],
  ["a folder that is not there", ["server", "/not/there"], "client"],
  ["a file", ["node", "server.js", "server.js"], "client"],
  ["a script that is a folder", ["node", "src"], "client"],
  ["a script and a folder", ["node", "--inspect", "server.js", data], "none"],
  ["a package that is a folder", ["/usr/bin/npx", "-y", "./src"], "client"],
  ["a subcommand, a package and a folder", ["pnpm", "dlx", "server", "../data"], "none"],
  ["a module and a folder", ["python3", "-m", "server", "--allow", "~", data], "none"],
  ["Windows' form of a runner", ["C:\\Program Files\\nodejs\\npx.cmd", "src"], "client"],
] as const)("an entry with %s", async (_what, words, expected) => {
  expect(await given(stdio(...words))).toBe(expected);
});

test("a server over HTTP has those of the client", async () => {
  expect(await given({ transport: "http", url: "http://x/", headers: {} })).toBe("client");
});

test.each([
  ["client", "client"],
  ["workspace", "workspace"],
  ["none", "none"],
  [
    ["~/data", "src", data],
    [data, join(projectDir, "src"), data],
  ],
] as const)("the user's word counts: %p", async (written, expected) => {
  expect(await given(stdio("server", data), written)).toEqual(expected);
});

test.each([
  ["client", "none", "client"],
  ["workspace", "none", "workspace"],
  ["none", "none", "none"],
  [["src"], "none", [join(projectDir, "src")]],
] as const)("a project's word only tells less: %p", async (written, withFolder, without) => {
  expect(await given(stdio("server", data), written, "project")).toEqual(withFolder);
  expect(await given(stdio("server"), written, "project")).toEqual(without);
});
