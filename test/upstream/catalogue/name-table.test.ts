import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { NameTable } from "../../../src/upstream/catalogue/name-table.ts";
import { exposedName } from "../../../src/upstream/names/assign-names.ts";
import type { BlockedTool, ToolEntry } from "../../../src/upstream/snapshot.ts";
import { shareOf } from "../../fixtures/long-run.ts";

const reserved = ["Bash", "ReadDocs", "tool_search", "tool_call"];

function entry(server: string, tool: string, more: Partial<ToolEntry> = {}): ToolEntry {
  return { name: exposedName(server, tool, 44), server, tool, ...more };
}

function blocked(server: string, tool: string): BlockedTool {
  return { ...entry(server, tool), reason: "denied", text: "It is denied." };
}

function table(tools: readonly ToolEntry[], blockedTools: readonly BlockedTool[] = []): NameTable {
  return new NameTable({ tools, blocked: blockedTools, reserved, ownKey: "scorpiox-code" });
}

const long = `create_${"very_".repeat(10)}long`;
const github = entry("github", "create_issue", { prefix: "gh" });
const dotted = entry("my.server", "files.read");
const uncut = entry("long-server-name", long);
const secret = blocked("github", "delete_repo");
const tools = [github, dotted, uncut, entry("a", "list"), entry("b", "list"), entry("s", "bash")];
const names = table(tools, [secret]);

describe("[GW-16] NameTable.resolve()", () => {
  test.each([
    ["primary", "mcp__github__create_issue", github, "primary"],
    ["primary, cut", uncut.name, uncut, "primary"],
    ["1, uncut", `mcp__long-server-name__${long}`, uncut, "alias"],
    ["1, replaced", "mcp__my_server__files_read", dotted, "alias"],
    ["1, original", "mcp__my.server__files.read", dotted, "alias"],
    ["1, half of it", "mcp__my_server__files.read", dotted, "alias"],
    ["2", "mcp:gh.create_issue", github, "alias"],
    ["2, without a prefix", "mcp:my.server.files.read", dotted, "alias"],
    ["3", "mcp_gh_create_issue", github, "alias"],
    ["3, dots", "mcp_my_server_files_read", dotted, "alias"],
    ["4", "create_issue", github, "alias"],
    ["5, primary", "mcp__scorpiox-code__mcp__github__create_issue", github, "primary"],
    ["5, alias", "mcp__scorpiox-code__mcp:gh.create_issue", github, "alias"],
    ["5, bare", "mcp__scorpiox-code__create_issue", github, "alias"],
  ] as const)("form %s: %p", (_form, name, found, via) => {
    expect(names.resolve(name)).toEqual({ kind: "found", entry: found, via });
  });

  test.each([
    ["a bare name of two", "list", ["mcp__a__list", "mcp__b__list"]],
    ["the same behind our key", "mcp__scorpiox-code__list", ["mcp__a__list", "mcp__b__list"]],
  ])("%s is refused with the candidates", (_what, name, candidates) => {
    expect(names.resolve(name)).toEqual({ kind: "ambiguous", candidates });
  });

  test("a form with underscores that two tools have is refused", () => {
    const two = table([entry("a", "b_c"), entry("a_b", "c")]);
    const candidates = ["mcp__a__b_c", "mcp__a_b__c"];
    expect(two.resolve("mcp_a_b_c")).toEqual({ kind: "ambiguous", candidates });
  });

  test.each(["mcp__github__delete_repo", "mcp:github.delete_repo", "delete_repo"])(
    "what may not be called is found by %p, with why not",
    (name) => {
      expect(names.resolve(name)).toMatchObject({ kind: "blocked", entry: secret });
    },
  );

  test("a blocked tool does not make a bare name ambiguous", () => {
    const one = table([entry("a", "read")], [blocked("b", "read")]);
    expect(one.resolve("read")).toMatchObject({ kind: "found", entry: { server: "a" } });
  });

  test("names of earlier budgets are aliases", () => {
    const earlier = entry("s", "t", { earlierNames: ["mcp__s__t_abcdef"] });
    const one = table([earlier]);
    expect(one.resolve("mcp__s__t_abcdef")).toEqual({
      kind: "found",
      entry: earlier,
      via: "alias",
    });
  });

  test.each([
    ["Bash", { kind: "built-in", name: "Bash" }],
    ["mcp__scorpiox-code__tool_call", { kind: "built-in", name: "tool_call" }],
  ])("%p is ours", (name, resolution) => {
    expect(names.resolve(name)).toEqual(resolution as ReturnType<NameTable["resolve"]>);
  });

  test.each(["bash", "BASH", "Tool_Search", "mcp__scorpiox-code__bash"])(
    "U-shadow: %p is nobody's, though a tool is called so",
    (name) => {
      expect(names.resolve(name).kind).toBe("unknown");
    },
  );

  test.each([
    ["mcp__github__create_isue", "mcp__github__create_issue"],
    ["create_issues", "mcp__github__create_issue"],
    ["mcp__scorpiox-code__Bahs", "Bash"],
  ])("%p is unknown, and %p is the nearest", (name, nearest) => {
    const resolution = names.resolve(name);
    if (resolution.kind !== "unknown") throw new Error(resolution.kind);
    expect(resolution.nearest[0]).toBe(nearest);
    expect(resolution.nearest.length).toBeLessThanOrEqual(5);
    expect(resolution.nearest).not.toContain(secret.name);
  });

  test.each(["", "mcp__", "__proto__", "constructor", "mcp:", "mcp_", "x".repeat(50)])(
    "%p is unknown",
    (name) => {
      expect(names.resolve(name).kind).toBe("unknown");
    },
  );

  test("a name of a megabyte is unknown", () => {
    expect(names.resolve("mcp__".padEnd(1_000_000, "x")).kind).toBe("unknown");
  });

  test("U-shadow: no text makes it throw, and no tool takes the name of one of ours", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...reserved));
    fc.assert(
      fc.property(text, text, text, (server, tool, name) => {
        const one = table([entry(server, tool)], [blocked(tool, server)]);
        const { kind } = one.resolve(name);
        if (reserved.includes(name)) expect(kind).toBe("built-in");
      }),
    );
  });
});

test("[GW-15] of very many tools each is found by its name, and some by an alias", () => {
  const many = Array.from({ length: shareOf(400_000) }, (_, index) =>
    entry(`server${index % 40}`, `tool_${index}`),
  );
  const one = table(many);
  // A look at all tools for each name would not end before the test does.
  for (const { name } of many) if (one.resolve(name).kind !== "found") throw new Error(name);
  for (let index = 0; index < 1_000; index++) {
    if (one.resolve(`tool_${index}`).kind !== "found") throw new Error(`tool_${index}`);
  }
  expect(one.resolve("mcp__server1__toool_x").kind).toBe("unknown");
});
