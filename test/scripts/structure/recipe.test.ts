import { describe, expect, test } from "bun:test";

import { insertLines, readRecipes } from "../../../scripts/structure/recipe.ts";

const text = `# Contributing

## A new thing

One file, in \`src/things/\`.

1. Create \`src/things/one.ts\`:

   \`\`\`ts
   export const one = {
     name: "one",
   };
   \`\`\`

2. Add it to \`src/things/all.ts\`:

   \`\`\`diff
    import { zero } from "./zero.ts";
   +import { one } from "./one.ts";
   \`\`\`

   \`\`\`diff
   +  one,
    ];
   \`\`\`

3. Look at it:

   \`\`\`sh
   bun run docs
   bun src/main.ts things
   \`\`\`

## Rules

\`\`\`sh
never
\`\`\`
`;

test("readRecipes() has the steps of each section that begins with `A new`", () => {
  expect(readRecipes(text)).toEqual([
    {
      heading: "A new thing",
      steps: [
        {
          kind: "create",
          path: "src/things/one.ts",
          text: 'export const one = {\n  name: "one",\n};\n',
        },
        {
          kind: "insert",
          path: "src/things/all.ts",
          lines: [
            { isNew: false, text: 'import { zero } from "./zero.ts";' },
            { isNew: true, text: 'import { one } from "./one.ts";' },
          ],
        },
        {
          kind: "insert",
          path: "src/things/all.ts",
          lines: [
            { isNew: true, text: "  one," },
            { isNew: false, text: "];" },
          ],
        },
        { kind: "run", command: "bun run docs" },
        { kind: "run", command: "bun src/main.ts things" },
      ],
    },
  ]);
});

test("readRecipes() refuses a block that belongs to no file", () => {
  expect(() => readRecipes("## A new thing\n\n```ts\na();\n```\n")).toThrow("no file is named");
});

describe("insertLines()", () => {
  const lines = [
    { isNew: false, text: "b" },
    { isNew: true, text: "new" },
    { isNew: false, text: "c" },
  ];

  test.each([
    ["a\nb\nc\nd\n", "a\nb\nnew\nc\nd\n"],
    ["b\nc\n", "b\nnew\nc\n"],
  ])("puts them into %j", (before, after) => {
    expect(insertLines(before, lines)).toBe(after);
  });

  test.each([
    ["a\nb\nd\nc\n", "these lines are not there:\nb\nc\n"],
    ["b\nc\nb\nc\n", "these lines are there 2 times:\nb\nc\n"],
  ])("refuses %j", (before, message) => {
    expect(() => insertLines(before, lines)).toThrow(message);
  });
});
