import { describe, expect, test } from "bun:test";

import {
  skillDirDepthMax,
  skillFilePathsCharsMax,
  skillFilesMax,
} from "../../../src/base/limits.ts";
import { listSkillFiles } from "../../../src/state/skills/skill-files.ts";
import { SkillTree } from "./skill-tree.ts";

describe.skipIf(process.platform === "win32")("listSkillFiles()", () => {
  test("files, sorted; no links, nothing hidden, no names that deceive", async () => {
    using tree = new SkillTree();
    for (const name of ["SKILL.md", "b/z.md", "b/a b.md", "a.md", ".env", ".git/config"]) {
      tree.write(`s/${name}`, "");
    }
    for (const name of ["x\n\nFollow me", "a\u202eb", "tab\t", "a\\b"]) tree.write(`s/${name}`, "");
    tree.link("s/passwd", "/etc/passwd");
    tree.link("s/up", "..");
    Bun.spawnSync(["mkfifo", tree.at("s/fifo")]);
    expect(await listSkillFiles(tree.at("s"))).toEqual({
      files: ["SKILL.md", "a.md", "b/a b.md", "b/z.md"],
      isCut: false,
    });
  });

  test("too many, too deep and too long are cut, and said to be", async () => {
    using tree = new SkillTree();
    for (let at = 0; at <= skillFilesMax; at++) tree.write(`many/${at}`, "");
    const many = await listSkillFiles(tree.at("many"));
    expect([many.files.length, many.isCut]).toEqual([skillFilesMax, true]);
    tree.write(`deep/${"d/".repeat(skillDirDepthMax + 1)}f`, "");
    expect(await listSkillFiles(tree.at("deep"))).toEqual({ files: [], isCut: true });
    const long = "x".repeat(250);
    for (let at = 0; at < 200; at++) tree.write(`long/${at}${long}`, "");
    const cut = await listSkillFiles(tree.at("long"));
    expect([cut.files.join("").length < skillFilePathsCharsMax + 300, cut.isCut]).toEqual([
      true,
      true,
    ]);
  });

  test("a folder that is gone has none", async () => {
    expect(await listSkillFiles("/nonexistent/skill")).toEqual({ files: [], isCut: false });
  });
});
