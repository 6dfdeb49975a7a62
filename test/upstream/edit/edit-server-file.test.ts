import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { expect, test } from "bun:test";

import { messageOf } from "../../../src/base/errors.ts";
import {
  addServers,
  removeServer,
  type ServerFileTarget,
} from "../../../src/upstream/edit/edit-server-file.ts";
import { TempTree } from "../../config/temp-tree.ts";

const one = new Map([["x", { command: "a" }]]);
const path = "project/.scorpiox/config.toml";

function targetIn(tree: TempTree, file = path, isPrivate = false): ServerFileTarget {
  return {
    file: tree.path(file),
    scorpioxDir: tree.path("home/.scorpiox"),
    isPrivate,
    ...(isPrivate ? {} : { insideDir: tree.path("project") }),
  };
}

const faultOf = (work: Promise<unknown>): Promise<string> => work.then(() => "", messageOf);

const mode = (tree: TempTree, file: string): string =>
  (statSync(tree.path(file)).mode & 0o777).toString(8);

test("makes file and folder, private, and removes the file with its last server", async () => {
  using tree = new TempTree();
  const target = targetIn(tree);
  expect(await addServers(target, one, false)).toEqual({ added: ["x"], replaced: [], kept: [] });
  expect(readFileSync(target.file, "utf8")).toBe(
    '# MCP servers, written by: scorpiox-code mcp add\n\n[mcp.servers.x]\ncommand = "a"\n',
  );
  expect([mode(tree, path), mode(tree, "project/.scorpiox")]).toEqual(["600", "700"]);
  // No lock and no temporary file beside it.
  expect(readdirSync(tree.path("project/.scorpiox"))).toEqual(["config.toml"]);
  expect(await removeServer(target, "x")).toBe(true);
  expect(existsSync(target.file)).toBe(false);
  expect(await removeServer(target, "x")).toBe(false);
});

test("keeps the mode of a project's file, and makes the user's own private", async () => {
  using tree = new TempTree({ [path]: "a = 1\n", "home/.scorpiox/config.toml": "a = 1\n" });
  const own = targetIn(tree, "home/.scorpiox/config.toml", true);
  for (const file of [path, "home/.scorpiox/config.toml"]) chmodSync(tree.path(file), 0o644);
  await addServers(targetIn(tree), one, false);
  await addServers(own, one, false);
  expect([mode(tree, path), mode(tree, "home/.scorpiox/config.toml")]).toEqual(["644", "600"]);
});

test("a known server is kept without force and replaced with it", async () => {
  using tree = new TempTree({ [path]: "# mine\n[mcp.servers.x]\ncommand = 'old'\n" });
  const target = targetIn(tree);
  expect(await addServers(target, one, false)).toEqual({ added: [], replaced: [], kept: ["x"] });
  expect(readFileSync(target.file, "utf8")).toContain("old");
  expect(await addServers(target, one, true)).toEqual({ added: [], replaced: ["x"], kept: [] });
  expect(readFileSync(target.file, "utf8")).toBe('# mine\n\n[mcp.servers.x]\ncommand = "a"\n');
});

test("a link stays, and the file it leads to is written", async () => {
  using tree = new TempTree({ "project/real.toml": "", [path]: { link: "project/real.toml" } });
  await addServers(targetIn(tree), one, false);
  expect(lstatSync(tree.path(path)).isSymbolicLink()).toBe(true);
  expect(readFileSync(tree.path("project/real.toml"), "utf8")).toContain("[mcp.servers.x]");
});

test("a link out of the project is refused", async () => {
  using tree = new TempTree({ "home/out.toml": "", [path]: { link: "home/out.toml" } });
  expect(await faultOf(addServers(targetIn(tree), one, false))).toContain(
    "leads out of the project",
  );
  expect(readFileSync(tree.path("home/out.toml"), "utf8")).toBe("");
});

test("a file that does not parse stays as it is", async () => {
  using tree = new TempTree({ [path]: "[mcp\n" });
  const target = targetIn(tree);
  expect(await faultOf(addServers(target, one, false))).toContain("it was not changed.");
  expect(await faultOf(removeServer(target, "x"))).toContain("line 1, column");
  expect(readFileSync(target.file, "utf8")).toBe("[mcp\n");
});

test("two writers at once lose nothing", async () => {
  using tree = new TempTree();
  const names = Array.from({ length: 12 }, (_, index) => `s${index}`);
  await Promise.all(
    names.map((name) => addServers(targetIn(tree), new Map([[name, { command: name }]]), false)),
  );
  const text = readFileSync(tree.path(path), "utf8");
  for (const name of names) expect(text).toContain(`[mcp.servers.${name}]`);
  await Promise.all(names.map((name) => removeServer(targetIn(tree), name)));
  expect(existsSync(tree.path(path))).toBe(false);
});
