import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { AppError } from "../../../src/base/errors.ts";
import { serverTextOf } from "../../../src/upstream/edit/server-text.ts";
import { jsonFiles, tomlFiles } from "./generated-files.ts";
import { shareOf } from "../../fixtures/long-run.ts";

const toml = serverTextOf("config.toml");
const json = serverTextOf("servers.json");

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const entry = fc.oneof(
  fc.record(
    {
      command: text,
      args: fc.array(text, { maxLength: 3 }),
      env: fc.dictionary(fc.stringMatching(/^[A-Z_]{1,6}$/), text, {
        maxKeys: 2,
        noNullPrototype: true,
      }),
      timeout_ms: fc.nat(),
      defer: fc.boolean(),
    },
    { requiredKeys: ["command"] },
  ),
  fc.record({ url: text, headers: fc.constant({ "X-Key": "${KEY}" }) }),
);
const newName = fc.constantFrom("new", "a.b", "new-2", "N_3");

describe("[GW-05] add, then remove", () => {
  test.each([
    ["TOML", toml, tomlFiles],
    ["JSON", json, jsonFiles],
  ] as const)("of any %s file leaves every byte as it was", (_name, editor, files) => {
    let edited = 0;
    fc.assert(
      fc.property(files, newName, entry, (before, name, added) => {
        const after = editor.add(before, name, added);
        expect(editor.entries(after).size).toBe(editor.entries(before).size + 1);
        expect(editor.remove(after, name)).toBe(before);
        edited++;
      }),
      { numRuns: shareOf(600), seed: 5 },
    );
    expect(edited).toBe(shareOf(600));
  });

  test.each([
    ["TOML", toml, tomlFiles],
    ["JSON", json, jsonFiles],
  ] as const)("of two servers in %s, in any order", (_name, editor, files) => {
    fc.assert(
      fc.property(files, entry, entry, fc.boolean(), (before, one, other, isReversed) => {
        const both = editor.add(editor.add(before, "one", one), "two", other);
        const [first, second] = isReversed ? ["two", "one"] : ["one", "two"];
        const left = editor.remove(editor.remove(both, first), second);
        expect(editor.entries(left)).toEqual(editor.entries(before));
        if (isReversed) expect(left).toBe(before);
      }),
      { numRuns: shareOf(300), seed: 6 },
    );
  });

  test.each([
    ["TOML", toml],
    ["JSON", json],
  ] as const)("of a %s file that was not there leaves none", (_name, editor) => {
    const after = editor.add("", "a", { command: "x" });
    const both = editor.add(after, "b", { url: "https://x.test" });
    expect(editor.remove(both, "b")).toBe(after);
    expect(editor.remove(after, "a")).toBe("");
  });
});

describe("remove", () => {
  const every = (editor: typeof toml, before: string): void => {
    let left = before;
    for (const name of editor.entries(before).keys()) {
      const wanted = new Map(editor.entries(left));
      wanted.delete(name);
      left = editor.remove(left, name);
      expect(editor.entries(left)).toEqual(wanted);
    }
  };

  test.each([
    ["TOML", toml, tomlFiles],
    ["JSON", json, jsonFiles],
  ] as const)("takes out what others wrote in %s", (_name, editor, files) => {
    fc.assert(
      fc.property(files, (before) => every(editor, before)),
      { numRuns: shareOf(300), seed: 7 },
    );
  });

  test.each([
    [
      "a table with its own",
      "[mcp.servers.x]\na = 1\n[mcp.servers.x.env]\nB = '1'\n[z]\n",
      "[z]\n",
    ],
    ["all sub-tables, wherever", "[mcp.servers.x.env]\nB = 1\n[z]\n[mcp.servers.x]\n", "[z]\n"],
    ["dotted keys", "mcp.servers.x.command = 'a'\nmcp.servers.x.args = []\ny = 1\n", "y = 1\n"],
    [
      "dotted keys in a table",
      "[mcp.servers]\nx.command = 'a'\ny.command = 'b'\n",
      "[mcp.servers]\ny.command = 'b'\n",
    ],
    [
      "an inline table in a table",
      "[mcp.servers]\nx = { command = 'a' } # c\n# d\n",
      "[mcp.servers]\n# d\n",
    ],
    [
      "the first of an inline table",
      "mcp = { servers = { x = {}, y = {} } }\n",
      "mcp = { servers = { y = {} } }\n",
    ],
    [
      "dotted keys of an inline table",
      "[mcp]\nservers = { x.command = 'a', x.args = [], y = {} }\n",
      "[mcp]\nservers = { y = {} }\n",
    ],
    [
      "quoted names",
      "[mcp . 'servers' . \"\\u0078\"] # c\na = 1\n\n# of y\n[y]\n",
      "\n# of y\n[y]\n",
    ],
    ["a table of tables", "[mcp.servers.x]\n[[mcp.servers.x.list]]\na = 1\n[y]\n", "[y]\n"],
  ])("%s", (_name, before, after) => {
    expect(toml.remove(before, "x")).toBe(after);
  });

  test.each([
    [
      "all duplicates",
      '{"mcpServers": {"x": {"command": "a"}, "x": {"command": "b"}}}',
      '{"mcpServers": {}}',
    ],
    [
      "from a list",
      '[{"name": "x", "command": "a"}, {"name": "y", "url": "u"}]',
      '[{"name": "y", "url": "u"}]',
    ],
    [
      "the last, and its comma",
      '{"servers": {"y": {"url": "u"}, "x": {"url": "u"}}}',
      '{"servers": {"y": {"url": "u"}}}',
    ],
  ])("%s", (_name, before, after) => {
    expect(json.remove(before, "x")).toBe(after);
  });

  test("of an unknown name changes nothing", () => {
    expect(toml.remove("a = 1\n", "x")).toBe("a = 1\n");
    expect(json.remove("{}", "x")).toBe("{}");
  });
});

test.each([
  ["x = 1\na b\n", "cannot be read: line 2, column"],
  ["[mcp]\nservers = 5\n", "has a layout to which no server can be added"],
  ["[[mcp.servers]]\nname = 'a'\n", "has a layout to which no server can be added"],
])("TOML %j is not edited", (before, message) => {
  expect(() => toml.add(before, "x", { command: "a" })).toThrow(message);
});

test.each([
  ['{"a": }', "cannot be read: line 1, column 7"],
  ["5", "must hold an object or a list"],
])("JSON %j is not edited", (before, message) => {
  expect(() => json.add(before, "x", { command: "a" })).toThrow(message);
});

test("a value that TOML cannot express is refused", () => {
  expect(() => toml.add("", "x", { command: "a", extra: null })).toThrow(
    "which TOML cannot express",
  );
});

test.each([
  ["TOML", toml, "[mcp]\nservers = { x.a0 = 0", (index: number) => `, x.a${index} = 0`, " }\n"],
  ["JSON", json, '{"servers": {"x": {}', () => ', "x": {}', "}}"],
] as const)(
  "a server in hundreds of places of %s is refused",
  (_name, editor, head, part, tail) => {
    const parts = Array.from({ length: 250 }, (_, index) => part(index + 1));
    expect(() => editor.remove(head + parts.join("") + tail, "x")).toThrow(
      "has x in more than 200 places",
    );
  },
);

test("texts of any kind are edited as they should be, or refused", () => {
  const piece = fc.constantFrom(
    ..."[]{}\"'=,.#:/*\\\n\r\t \u2028\uFEFF\u0000é".split(""),
    "mcp",
    "servers",
    "mcpServers",
    "x",
    '"""',
    "'''",
    "//",
    "\r\n",
    '"command": "c"',
    "command = 'c'",
  );
  const anyText = fc.array(piece, { minLength: 1, maxLength: 24 }).map((parts) => parts.join(""));
  for (const editor of [toml, json]) {
    const check = (before: string): void => {
      try {
        expect(editor.remove(editor.add(before, "new", { command: "c" }), "new")).toBe(before);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
      }
    };
    fc.assert(fc.property(anyText, check), { numRuns: shareOf(3_000), seed: 11 });
  }
});
