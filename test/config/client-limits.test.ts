import { describe, expect, test } from "bun:test";

import { createClientLimits } from "../../src/config/client-limits.ts";
import type { ClientLimitsInput } from "../../src/config/client-limits.ts";
import { TempTree } from "./temp-tree.ts";

const file = "home/.scorpiox/clients.json";

interface LimitsCase {
  readonly name: string;
  readonly client?: string;
  readonly input?: Partial<ClientLimitsInput>;
  /** Of `clients.json`. */
  readonly overrides?: string;
  readonly expected: readonly [answerMs: number, resultCharsMax: number];
  readonly problems?: readonly string[];
}

const cases: readonly LimitsCase[] = [
  { name: "no name", expected: [55_000, 30_000] },
  { name: "unknown name", client: "something", expected: [55_000, 30_000] },
  { name: "Claude Code", client: "claude-code", expected: [115_000, 30_000] },
  { name: "any case", client: "Claude-CODE", expected: [115_000, 30_000] },
  {
    name: "behind a bridge",
    client: "claude-code (via mcp-remote 1)",
    expected: [115_000, 30_000],
  },
  { name: "Claude Desktop", client: "claude-ai", expected: [55_000, 20_000] },
  {
    name: "--client over the name",
    client: "claude-ai",
    input: { clientId: "claude-code" },
    expected: [115_000, 30_000],
  },
  {
    name: "--client by clientInfo.name",
    input: { clientId: "claude-ai" },
    expected: [55_000, 20_000],
  },
  {
    name: "an unknown --client leaves it to the name",
    client: "claude-code",
    input: { clientId: "nothing" },
    expected: [115_000, 30_000],
  },
  {
    name: "CLIENT_BUDGET_MS over all",
    client: "claude-ai",
    input: { budgetMs: 0, clientId: "claude-code" },
    expected: [0, 30_000],
  },
  {
    name: "an override of one number",
    client: "claude-ai",
    overrides: '[{"id": "claude-desktop", "names": ["Claude-AI"], "answerMs": 300000}]',
    expected: [300_000, 20_000],
  },
  {
    name: "a new client, with comments and a pattern",
    client: "Mine-2.0",
    overrides:
      '// mine\n[{"id": "mine", "names": ["mine-*"], "answerMs": 0, "resultCharsMax": 1000},]',
    expected: [0, 1000],
  },
  {
    name: "rows that cannot be used",
    client: "a",
    overrides:
      '[1, {"names": ["a"]}, {"id": "a", "names": "a"}, {"id": "a", "names": ["a"], "answerMs": 999}, {"id": "a", "names": ["a"], "resultCharsMax": "x"}, {"id": "a", "names": ["a"], "answerMs": 1000}]',
    expected: [1000, 30_000],
    problems: [
      `${file}: entry 1: it must be an object; the entry is ignored.`,
      `${file}: entry 2: id must be a text; the entry is ignored.`,
      `${file}: entry 3: names must be an array of texts; the entry is ignored.`,
      `${file}: entry 4: answerMs is "999", it must be a whole number from 1000 to 86400000, or 0; the entry is ignored.`,
      `${file}: entry 5: resultCharsMax is "\\"x\\"", it must be a whole number from 1000 to 500000; the entry is ignored.`,
    ],
  },
  {
    name: "an object for an array",
    overrides: "{}",
    expected: [55_000, 30_000],
    problems: [
      `${file}: it must be an array of {"id", "names", "answerMs", "resultCharsMax", "defer", "shows"}; it is ignored.`,
    ],
  },
];

describe("limitsFor()", () => {
  test.each(cases)("$name", ({ client, input, overrides, expected, problems }) => {
    using tree = new TempTree(overrides === undefined ? {} : { [file]: overrides });
    const table = createClientLimits({
      budgetMs: undefined,
      clientId: undefined,
      overrideFile: tree.path(file),
      ...input,
    });
    const { answerMs, resultCharsMax } = table.limitsFor(client);
    expect([answerMs, resultCharsMax]).toEqual([...expected]);
    expect(table.problems().map(({ message }) => tree.relative(message))).toEqual([
      ...(problems ?? []),
    ]);
  });

  test("reads the override file once, and not before it is asked", () => {
    using tree = new TempTree({ [file]: "not JSON" });
    const table = createClientLimits({
      budgetMs: undefined,
      clientId: undefined,
      overrideFile: tree.path(file),
    });
    tree.put(file, '[{"id": "x", "names": ["x"], "answerMs": 1000}]');
    expect(table.limitsFor("x").answerMs).toBe(1000);
    tree.put(file, "not JSON");
    expect([table.limitsFor("x").answerMs, table.problems()]).toEqual([1000, []]);
  });

  test("a file that is not JSON is one problem", () => {
    using tree = new TempTree({ [file]: "not JSON" });
    const input = { budgetMs: undefined, clientId: undefined, overrideFile: tree.path(file) };
    const [problem, ...more] = createClientLimits(input).problems();
    expect(more).toEqual([]);
    expect(problem?.message).toStartWith(`${tree.path(file)}: this file is not JSON (`);
  });
});

test.each<[string | undefined, string | undefined, string | undefined]>([
  ["claude-code", undefined, "json"],
  ["Visual Studio Code", undefined, "json"],
  ["codex-mcp-client", undefined, "json"],
  ["opencode", undefined, "text"],
  ["gemini-cli-mcp-client", undefined, "text"],
  ["copilot-cli", undefined, "both"],
  ["qwen-cli-mcp-client-scorpiox", undefined, "both"],
  ["something", undefined, undefined],
  [undefined, undefined, undefined],
  ["something", "json", "json"],
  ["claude-code", "text", "text"],
  ["claude-code", "?", undefined],
])("what the model of %j sees, with %j in the file: %j", (client, shows, expected) => {
  const row = { id: "row", names: [client], shows };
  using tree = new TempTree(shows === undefined ? {} : { [file]: JSON.stringify([row]) });
  const overrideFile = tree.path(file);
  const table = createClientLimits({ budgetMs: undefined, clientId: undefined, overrideFile });
  expect(String(table.limitsFor(client).shows)).toBe(String(expected));
  expect(table.problems()).toEqual([]);
});

test("what a model sees is one of four words", () => {
  using tree = new TempTree({ [file]: '[{"id": "a", "names": ["a"], "shows": "JSON"}]' });
  const overrideFile = tree.path(file);
  const table = createClientLimits({ budgetMs: undefined, clientId: undefined, overrideFile });
  expect(table.limitsFor("a").shows).toBeUndefined();
  expect(table.problems().map(({ message }) => tree.relative(message))).toEqual([
    `${file}: entry 1: shows is "JSON", it must be "json", "text", "both" or "?"; the entry is ignored.`,
  ]);
});

test("hasClient() knows ids and names", () => {
  const table = createClientLimits({
    budgetMs: undefined,
    clientId: undefined,
    overrideFile: "/none",
  });
  const ids = ["claude-desktop", "claude-ai", "JetBrains-IU", "vscode", "nothing"];
  expect(ids.map((id) => table.hasClient(id))).toEqual([true, true, true, true, false]);
  expect(table.ids()).toContain("claude-code");
});
