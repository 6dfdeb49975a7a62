import fc from "fast-check";

/** YAML files with servers, as people and programs write them. */

const tail = fc.constantFrom("", "", " # note", "  # - name: x", " # key: {");
const above = fc.constantFrom(
  "",
  "",
  "# own line\n",
  "\n",
  "\n\n",
  "  # indented\n",
  "# - name: x\n",
);

function value(indent: string): fc.Arbitrary<string> {
  return fc.constantFrom(
    "1",
    "true",
    "plain text",
    '"q: #"',
    "'it''s'",
    "{a: 1, b: [c]}",
    "[x, 'y']",
    `|\n${indent}  block: text\n${indent}  # no comment`,
    `>-\n${indent}  folded\n\n${indent}  more`,
    `\n${indent}  sub: 1\n${indent}  other: 2`,
    `\n${indent}  - 1\n${indent}  - 2`,
  );
}

/** Lines of two members; the first one continues a line that has begun. */
function members(indent: string): fc.Arbitrary<string> {
  return fc.tuple(value(indent), tail, value(indent), tail).map(([one, oneTail, two, twoTail]) => {
    const line = (key: string, text: string, end: string): string =>
      `${key}:${text.startsWith("\n") ? "" : " "}${text}${text.includes("\n") ? "" : end}\n`;
    return line("cmd", one, oneTail) + indent + line("zed", two, twoTail);
  });
}

const names = fc.uniqueArray(fc.constantFrom("a", "b", "'c d'", '"e"'), {
  minLength: 1,
  maxLength: 3,
});
const four = <Value>(one: fc.Arbitrary<Value>): fc.Arbitrary<Value[]> =>
  fc.array(one, { minLength: 4, maxLength: 4 });

const blockMap = fc.tuple(fc.constantFrom("  ", "    ", " "), names).chain(([indent, chosen]) =>
  fc.tuple(four(above), four(tail), four(members(`${indent}  `))).map(([gaps, ends, bodies]) => {
    const items = chosen.map(
      (name, at) => `${gaps[at]}${indent}${name}:${ends[at]}\n${indent}  ${bodies[at]}`,
    );
    return `servers:\n${items.join("")}`;
  }),
);

const blockList = fc.tuple(fc.constantFrom("", "  ", "    "), names).chain(([indent, chosen]) =>
  fc
    .tuple(four(above), four(fc.boolean()), four(members(`${indent}  `)))
    .map(([gaps, isFirst, bodies]) => {
      const items = chosen.map((name, at) => {
        const body = bodies[at] ?? "";
        return isFirst[at] === true
          ? `${gaps[at]}${indent}- name: ${name}\n${indent}  ${body}`
          : `${gaps[at]}${indent}- ${body}${indent}  name: ${name}\n`;
      });
      return `servers:\n${items.join("")}`;
    }),
);

const empty = fc.constantFrom(
  "servers: {}\n",
  "servers: {} # why\n",
  "servers:\n",
  "servers: # why\n",
  "",
);
const other = fc.constantFrom("a: 1\n", "# c\n", "\n", "b: |\n  text\n\n", "e:\n  - 1\n");
const last = fc.constantFrom("z: 1\n", "# c2\n", "\n", "y: |\n  text\n\n", "x: >+\n  keep\n\n");

function filesWith(servers: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom("", "", "---\n", "# head\n---\n"),
      fc.uniqueArray(other, { maxLength: 3 }),
      servers,
      fc.uniqueArray(last, { maxLength: 3 }),
      fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
    )
    .map(([head, before, text, after, [isWindows, hasMark, isOpen]]) => {
      const whole = head + before.join("") + text + after.join("");
      const closed = isOpen ? whole.replace(/\n+$/, "") : whole;
      return (hasMark ? "\uFEFF" : "") + (isWindows ? closed.replaceAll("\n", "\r\n") : closed);
    });
}

export const yamlMaps: fc.Arbitrary<string> = filesWith(fc.oneof(blockMap, blockMap, empty));
export const yamlLists: fc.Arbitrary<string> = filesWith(
  fc.oneof(
    blockList,
    blockList,
    empty.map((text) => text.replace("{}", "[]")),
  ),
);
