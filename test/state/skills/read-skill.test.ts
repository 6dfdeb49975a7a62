import { describe, expect, test } from "bun:test";

import { skillFrontMatterBytesMax } from "../../../src/base/limits.ts";
import { parseFrontMatter, readSkill, splitSkill } from "../../../src/state/skills/read-skill.ts";

/** Twenty lists, each of nine times the one before it. */
function aliases(anchor: string, alias: string): string {
  const lines = Array.from({ length: 20 }, (_, at) => {
    const before = at === 0 ? alias : `${alias}${at - 1}`;
    return `b${at}: ${anchor}${at} [${Array(9).fill(before).join(", ")}]`;
  });
  return [`a: ${anchor} [x,x,x,x,x,x,x,x,x]`, ...lines].join("\n");
}

describe("splitSkill()", () => {
  test.each([
    ["plain", "---\na: 1\n---\nbody\n", "a: 1\n", "body\n"],
    ["CRLF", "---\r\na: 1\r\n---\r\nbody\r\n", "a: 1\n", "body\n"],
    ["BOM", "\ufeff---\na: 1\n---\nbody", "a: 1\n", "body"],
    ["no body", "---\na: 1\n---", "a: 1\n", ""],
    ["empty front matter", "---\n---\nbody", "", "body"],
    ["a rule in the body", "---\na: 1\n---\nx\n---\ny", "a: 1\n", "x\n---\ny"],
    ["none", "# Title\ntext", undefined, "# Title\ntext"],
    ["no end", "---\na: 1\ntext", undefined, "---\na: 1\ntext"],
    ["more dashes", "----\na: 1\n---\n", undefined, "----\na: 1\n---\n"],
  ])("%s", (_what, text, frontMatter, body) => {
    const split = splitSkill(text);
    expect([split.frontMatter, split.body]).toEqual([frontMatter, body]);
    expect(split.problem === undefined).toBe(frontMatter !== undefined);
  });

  test("front matter that is too long is none", () => {
    expect(splitSkill(`---\na: ${"x".repeat(10_000)}\n---\n`).frontMatter).toBeUndefined();
  });
});

describe("parseFrontMatter()", () => {
  test.each<[string, string, object]>([
    [
      "YAML",
      'name: a\ndescription: "b: c"\nx: [1, {y: true}]',
      { name: "a", description: "b: c", x: [1, { y: true }] },
    ],
    ["a folded block", "description: >-\n  one\n  two\n", { description: "one two" }],
    ["dates stay text", "d: 2026-01-01", { d: "2026-01-01" }],
    ["numbers that JSON has not", "a: .nan\nb: .inf", { a: "NaN", b: "Infinity" }],
    [
      "a colon in plain text, which is no YAML",
      "name: a\ndescription: Use when: x",
      { name: "a", description: "Use when: x" },
    ],
    ["an alias", "a: &x 1\nb: *x\nname: n", { a: "&x 1", b: "*x", name: "n" }],
    [
      "tools with stars",
      "allowed-tools: Bash(git add:*), Read\nname: n",
      { "allowed-tools": "Bash(git add:*), Read", name: "n" },
    ],
    ["tabs where YAML has none", "\tname: a\ndescription: b\n\t- x", { description: "b" }],
  ])("%s", (_what, text, values) => {
    expect({ ...parseFrontMatter(text).values }).toEqual({ ...values });
  });

  test.each([
    ["a list", "- a\n- b"],
    ["a text", "hello"],
    ["two documents", "a: 1\n---\nb: 2"],
    ["too deep", `a: ${"[".repeat(20)}${"]".repeat(20)}`],
    ["too many", Array.from({ length: 300 }, (_, at) => `k${at}: 1`).join("\n")],
  ])("%s has no values", (_what, text) => {
    const { values, problem } = parseFrontMatter(text);
    expect([Object.keys(values), typeof problem]).toEqual([[], "string"]);
  });

  const bombs: [string, string][] = [
    ["brackets", `a: ${"[".repeat(8_000)}`],
    ["braces", `a: ${"{a: ".repeat(2_000)}1${"}".repeat(2_000)}`],
    ["keys in keys", "? ".repeat(4_000)],
    ["lists in lists", "- ".repeat(4_000)],
    [
      "aliases of aliases",
      `a: &a [x,x]\n${Array.from({ length: 200 }, (_, at) => `b${at}: &b${at} [*a, *a]`).join("\n")}`,
    ],
    [
      "merges",
      `a: &a {k: 1}\n${Array.from({ length: 150 }, (_, at) => `m${at}: &m${at} {<<: [*a, *a]}`).join("\n")}`,
    ],
    ["aliases with names of other scripts", aliases("&é", "*é")],
    ["aliases behind tags", aliases("!!seq &a", "!x *a")],
    ["a list of itself", "a: &a [*a]"],
    ["a long word", `a: ${"x".repeat(8_000)}`],
    ["nothing but anchors", "&a ".repeat(2_700)],
  ];
  test.each(bombs)("%s are read, and do not grow", (_what, text) => {
    const { values } = parseFrontMatter(text);
    expect(JSON.stringify(values).length).toBeLessThan(2 * text.length + 100);
  });

  test("keys of objects of JavaScript are keys like any other", () => {
    const { values } = parseFrontMatter("__proto__: {name: x}\nconstructor: y\nname: z");
    expect([values["name"], values["constructor"], Object.getPrototypeOf(values)]).toEqual([
      "z",
      "y",
      null,
    ]);
  });
});

describe("readSkill()", () => {
  const read = (text: string, name = "a-skill") =>
    readSkill({ name, origin: "user", folder: "/s" }, text);

  test("has what lists show", () => {
    const text =
      "---\nname: a-skill\ndescription: |\n  one\n  two\nargument-hint: [file]\nuser-invocable: false\ndisable-model-invocation: true\n---\n";
    expect(read(text)).toMatchObject({
      name: "a-skill",
      description: "one two",
      argumentHint: "[file]",
      isForUser: false,
      isForModel: false,
      problems: [],
    });
  });

  test.each([
    ["no front matter: the first line", "\n# The title\ntext", "The title"],
    ["no description: the first line", "---\nname: a-skill\n---\n\ntext", "text"],
    ["nothing at all", "", ""],
    ["unseen characters", '---\ndescription: "a\u202eb\\u200bc\u{e0041}"\n---\n', "abc"],
    ["an escape sequence", '---\ndescription: "a\\e[31mb"\n---\n', "a[31mb"],
  ])("%s", (_what, text, description) => {
    expect(read(text).description).toBe(description);
  });

  test("says what is wrong", () => {
    expect(read("text", "A_b").problems).toEqual([
      "it has no front matter",
      "its folder's name should be lower-case letters, digits and single hyphens",
      "its front matter has no name",
      "its front matter has no description: its first line is used instead",
    ]);
    expect(read("---\nname: other\ndescription: d\n---\n").problems).toEqual([
      'its front matter calls it "other", but the folder\'s name is used',
    ]);
  });
});

describe("what a file begins with", () => {
  const found = { name: "x", origin: "project", folder: "/x" } as const;

  test.each([
    ["no end of front matter", "---\nUse it.\n", "Use it."],
    ["a heading", "\n\n## # Use it.\nMore.", "Use it."],
    ["nothing that says something", "\n#\n---\n", ""],
  ])("stands for a description, but lines and hashes do not: %s", (_, text, description) => {
    expect(readSkill(found, text).description).toBe(description);
  });

  test("hostile text is read in one pass", () => {
    for (const text of ["\n".repeat(1e6), "#\n".repeat(5e5), " \n#".repeat(3e5)]) {
      // Quadratic time would not end before the test does.
      expect(readSkill(found, text).description).toBe("");
    }
  });

  test("front matter is as long for a list as it is for a load", () => {
    const text = `---\nname: x\ndescription: ${"字".repeat(skillFrontMatterBytesMax / 2)}\n---\nbody`;
    const head = new TextDecoder().decode(
      new TextEncoder().encode(text).subarray(0, skillFrontMatterBytesMax * 2),
    );
    expect(splitSkill(text).frontMatter).toBe(splitSkill(head).frontMatter);
  });

  test.each(["true", "True", "TRUE", "true  # not for it"])(
    "a switch counts where the rest is no YAML: %s",
    (written) => {
      const text = `---\ndescription: Use when: x\ndisable-model-invocation: ${written}\n---\n`;
      expect(readSkill(found, text).isForModel).toBe(false);
    },
  );

  test("what nobody sees is not in a description", () => {
    const hidden = "\u00ad\u034f\u115f\u3164\ufe01\u{e0041}\u{e0101}";
    const text = `---\ndescription: "a${hidden}b"\n---\n`;
    expect(readSkill(found, text).description).toBe("ab");
  });
});
