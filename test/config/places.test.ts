import { describe, expect, test } from "bun:test";

import { findProjectDir } from "../../src/config/places.ts";
import { TempTree } from "./temp-tree.ts";

describe("findProjectDir()", () => {
  test.each([
    ["the nearest ancestor with .git", "home/work/a/b", "home/work", ["home/work/.git/x"]],
    ["a .git file, as worktrees have", "home/work/a", "home/work", ["home/work/.git"]],
    ["the nearest of several", "home/w/a/b", "home/w/a", ["home/w/.git/x", "home/w/a/.mcp.json"]],
    [".scorpiox", "home/work/a", "home/work", ["home/work/.scorpiox/x"]],
    ["the directory itself without a mark", "home/work/a", "home/work/a", []],
    ["not home for its .scorpiox", "home/work", "home/work", ["home/.scorpiox/x"]],
    ["none in home", "home", undefined, ["home/.git/x"]],
  ])("%s", (_, cwd, expected, files) => {
    using tree = new TempTree();
    tree.put(`${cwd}/file`, "");
    for (const file of files) tree.put(file, "");
    const found = findProjectDir(tree.path(cwd), tree.path("home"));
    expect(found === undefined ? undefined : tree.relative(found)).toEqual(expected);
  });

  test.each([
    ["below it", "home/work/a", "home/work/a"],
    ["in it", "home", undefined],
  ])("no home whose name is a link: %s", (_, cwd, expected) => {
    using tree = new TempTree({
      "home/work/a/file": "",
      "home/.scorpiox/x": "",
      link: { link: "home" },
    });
    const found = findProjectDir(tree.path(cwd), tree.path("link"));
    expect(found === undefined ? undefined : tree.relative(found)).toEqual(expected);
    expect(findProjectDir(tree.path("link"), tree.path("home"))).toBeUndefined();
  });

  test("none at the root", () => {
    expect(findProjectDir("/", "/root")).toBeUndefined();
  });
});
