import { describe, expect, test } from "bun:test";
import { realpathSync, symlinkSync } from "node:fs";

import { openFolders } from "../../../src/commands/sandbox/sandbox-folders.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";

/** A workspace, folders beside it, and links. */
function fill(folder: TempFolder, links: Readonly<Record<string, string>>): void {
  for (const name of ["work/a/b", "home/u", "cache"]) folder.folder(name);
  for (const [name, target] of Object.entries(links)) symlinkSync(target, folder.at(name));
}

const opened = async (folder: TempFolder, wanted: readonly string[]): Promise<string[]> => {
  const found = await openFolders(wanted.map((name) => folder.at(name)));
  return found.map((path) => path.slice(realpathSync(folder.path).length + 1));
};

describe("openFolders()", () => {
  test.each<[string, Record<string, string>, string[], string[]]>([
    ["as they are, each once", {}, ["work", "cache", "work"], ["work", "cache"]],
    ["without what is not there", {}, ["work", "none/x"], ["work"]],
    ["one in another", {}, ["work", "work/a/b"], ["work", "work/a/b"]],
    [
      "links beside them",
      { project: "work", far: "project/a" },
      ["project", "far"],
      ["work", "work/a"],
    ],
    ["ways back", { far: "work/a/../../cache" }, ["far", "work"], ["cache", "work"]],
    ["a link to itself", { loop: "loop" }, ["loop", "work"], ["work"]],
  ])("%s", async (_what, links, wanted, expected) => {
    using folder = new TempFolder();
    fill(folder, links);
    expect(await opened(folder, wanted)).toEqual(expected);
  });

  test.each<[string, Record<string, string>, string[], string]>([
    ["the last part", { "work/cache": "../home" }, ["work", "work/cache"], "work/cache"],
    ["a part", { "work/tmp": "../home" }, ["work", "work/tmp/u"], "work/tmp"],
    ["by a link outside", { far: "work/tmp", "work/tmp": "/" }, ["work", "far/usr"], "work/tmp"],
    ["the workspace itself", { "cache/now": "../work" }, ["cache/now", "cache"], "cache/now"],
  ])("a link that a command could have made is refused: %s", async (_what, links, wanted, link) => {
    using folder = new TempFolder();
    fill(folder, links);
    expect(opened(folder, wanted)).rejects.toThrow(`${folder.at(link)} is a symbolic link in `);
  });
});
