import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { splitSkill } from "../../../src/state/skills/read-skill.ts";
import { loadSkill } from "../../../src/state/skills/load-skill.ts";
import { SkillTree } from "./skill-tree.ts";

const fixtures = join(import.meta.dir, "../../fixtures/skills");
const golden = join(import.meta.dir, "../../golden/skills");

/** Skills in the styles that are about, with what a user may write behind their names. */
const skills: readonly (readonly [name: string, given: string])[] = [
  ["access-log", "/var/log/nginx/access.log"],
  ["braces", "backups"],
  ["capitals", 'FILES=src TITLE="Mend it"'],
  ["codemod", "src/**/*.js"],
  ["commit", "src/main.ts"],
  ["compare", "old.txt"],
  ["component", "SearchBar form"],
  ["deploy", "staging 1.4.2"],
  ["doubled", "one two"],
  ["echo-back", "$2 $ARGUMENTS `id` $(id)"],
  ["escaped", "notes.md"],
  ["fix-issue", "123"],
  ["half-fence", "3 table.csv"],
  ["house-rules", "only for tests"],
  ["integral", "exercise 7"],
  ["lines-of", "src"],
  ["look-alikes", "x.txt"],
  ["loose", "table.csv ';'"],
  ["makefile", "report"],
  ["migrate", "'Search bar' React Vue"],
  ["minutes", "Ann: ship it.\nBob: not today, it costs $1.\n"],
  ["new-file", 'config.json src \'{ "key": "value" }\''],
  ["perl-swap", "table.txt"],
  ["powershell", "*.log"],
  ["price-list", "tea"],
  ["query", "O'Hara"],
  ["rename-symbol", "MyClass MyService"],
  ["review-pull", "17 high ann"],
  ["steps", "v2.0.0 ann"],
  ["table", "'my notes.md' slowly"],
  ["tildes", "the tool"],
  ["top-words", "book.txt"],
];

test("every fixture has a row", () => {
  const names = readdirSync(fixtures).map((file) => file.replace(/\.txt$/, ""));
  expect(skills.map(([name]) => name)).toEqual(names.toSorted());
});

describe.each(skills)("loadSkill() of %s", (name, given) => {
  const text = readFileSync(join(fixtures, `${name}.txt`), "utf8");

  async function arrives(args: string | null): Promise<string> {
    using tree = new SkillTree();
    tree.write(`work/.claude/skills/${name}/SKILL.md`, text);
    const { skills } = await tree.find();
    const skill = skills.find((each) => each.name === name);
    if (skill === undefined) throw new Error(`${name} was not found`);
    return (await loadSkill(skill, tree.workspace, args)).body;
  }

  test("with arguments: the golden file", async () => {
    const file = join(golden, `${name}.txt`);
    const body = `${await arrives(given)}\n`;
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, body);
    expect(body).toBe(existsSync(file) ? readFileSync(file, "utf8") : "");
  });

  test.each([null, "", " \n"])("with %j it arrives as written", async (none) => {
    expect(await arrives(none)).toBe(splitSkill(text).body.trim());
  });
});
