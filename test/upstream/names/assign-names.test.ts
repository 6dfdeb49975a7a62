import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import {
  assignNames,
  codedName,
  codeLengths,
  distinctTitles,
  exposedName,
  mayBeNameOf,
  type Original,
} from "../../../src/upstream/names/assign-names.ts";

const budget = 44;
/** What configuration lets through. */
const serverName = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/);
const toolName = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_./-]{1,128}$/),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
);
const original = fc.record({ server: serverName, tool: toolName });
const originals = fc.uniqueArray(original, {
  minLength: 1,
  maxLength: 40,
  selector: ({ server, tool }) => JSON.stringify([server, tool]),
});

const namesOf = (items: readonly Original[]): Record<string, string> => {
  const assigned = assignNames(items, budget);
  return Object.fromEntries(
    assigned.map(({ item, name }) => [JSON.stringify([item.server, item.tool]), name]),
  );
};

describe("[GW-15] exposedName()", () => {
  test.each([
    ["github", "create_issue", 44, "mcp__github__create_issue"],
    ["a", "b".repeat(36), 44, `mcp__a__${"b".repeat(36)}`],
    // One character more than fits, and each kind of replacement.
    ["a", "b".repeat(37), 44, `mcp__a__${"b".repeat(29)}_ijmpeu`],
    ["my.server", "read", 44, "mcp__my_server__read_p3qptf"],
    ["my__server", "read", 44, "mcp__my_server__read_nt4vh4"],
    ["server_", "read", 44, "mcp__server__read_jhvp4v"],
    ["s", "files/read", 44, "mcp__s__files_read_hvxv2t"],
    ["s", "日本", 44, "mcp__s___syapva"],
    // The tool's own underscores stay.
    ["s", "__init", 44, "mcp__s____init"],
  ])("of %p, %p within %d is %p", (server, tool, max, name) => {
    expect(exposedName(server, tool, max)).toBe(name);
  });

  test("fits the budget, has allowed characters only, and its first border is the server's end", () => {
    fc.assert(
      fc.property(serverName, toolName, fc.integer({ min: 30, max: 110 }), (server, tool, max) => {
        const name = exposedName(server, tool, max);
        expect(name.length).toBeLessThanOrEqual(max);
        expect(name).toMatch(/^mcp__[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*__[A-Za-z0-9_-]+$/);
        expect(exposedName(server, tool, max)).toBe(name);
        expect(mayBeNameOf(name, server, tool)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("a longer code is taken from the same hash", () => {
    const codes = codeLengths.map((length) => codedName("s", "files/read", 60, length));
    expect(codes).toEqual([
      "mcp__s__files_read_hvxv2t",
      expect.stringMatching(/^mcp__s__files_read_hvxv2t[a-z2-7]{4}$/),
      expect.stringMatching(/^mcp__s__files_read_hvxv2t[a-z2-7]{10}$/),
    ]);
  });

  test("a name of another tool is none of this one", () => {
    expect(mayBeNameOf("mcp__github__create_issue", "evil", "create_issue")).toBe(false);
    expect(mayBeNameOf(exposedName("s", "a/b", 44), "s", "a/c")).toBe(false);
  });
});

describe("[GW-15] assignNames()", () => {
  test("500 tools of 20 servers have 500 names of at most 44 characters, whatever the order", () => {
    const items = Array.from({ length: 500 }, (_, index) => ({
      server: `server.${index % 20}-${"x".repeat(index % 40)}`,
      tool: `${index % 3 === 0 ? "files/" : ""}tool_${index}_${"y".repeat(index % 90)}`,
    }));
    const names = namesOf(items);
    const all = Object.values(names);
    expect(new Set(all).size).toBe(500);
    expect(all.filter((name) => `mcp__scorpiox-code__${name}`.length > 64)).toEqual([]);
    expect(namesOf(items.toReversed())).toEqual(names);
  });

  test("random names of random servers never clash, in any order", () => {
    fc.assert(
      fc.property(originals, (items) => {
        const names = namesOf(items);
        const all = Object.values(names);
        expect(all.length).toBe(items.length);
        expect(new Set(all).size).toBe(all.length);
        expect(namesOf(items.toReversed())).toEqual(names);
        for (const name of all) expect(name.startsWith("mcp__")).toBe(true);
      }),
    );
  });

  test("a tool that is named like the cut name of another changes neither into the other", () => {
    const victim = { server: "a.b", tool: "read" };
    const cut = exposedName(victim.server, victim.tool, budget);
    const copy = { server: "a_b", tool: cut.slice("mcp__a_b__".length) };
    expect(exposedName(copy.server, copy.tool, budget)).toBe(cut);
    const assigned = assignNames([victim, copy], budget);
    expect(assigned.map(({ name }) => name)).toEqual([
      codedName(victim.server, victim.tool, budget, 10),
      codedName(copy.server, copy.tool, budget, 10),
    ]);
  });

  test("a tool that is listed twice counts once", () => {
    const one = { server: "s", tool: "t" };
    expect(assignNames([one, { ...one }], budget)).toEqual([{ item: one, name: "mcp__s__t" }]);
  });

  test("originals that nothing tells apart have no name", () => {
    const items = ["\ud800", "\ud801"].map((tool) => ({ server: "s", tool }));
    expect(assignNames(items, budget)).toEqual([]);
  });
});

test("distinctTitles() puts the server behind a title that several tools have", () => {
  const titles = distinctTitles([
    { server: "a", title: "Read" },
    { server: "b", title: "Read" },
    { server: "b", title: "Write" },
    { server: "c" },
  ]);
  expect(titles).toEqual(["Read (a)", "Read (b)", "Write", undefined]);
});
