import { expect, test } from "bun:test";

import { mergeEntries } from "../../../src/upstream/config/load-upstream-config.ts";
import { readEntry } from "../../../src/upstream/config/read-entry.ts";
import {
  EntryFault,
  type EntryOrigin,
  type RootsRule,
} from "../../../src/upstream/config/server-entry.ts";

const origins = {
  user: { rank: 1, trust: "user", scope: "global" },
  project: { rank: 7, trust: "project", scope: "project" },
} as const satisfies Record<string, EntryOrigin>;

function read(
  roots: unknown,
  trust: "user" | "project" = "user",
): readonly [ReturnType<typeof readEntry>, readonly string[]] {
  const warnings: string[] = [];
  const value = roots === undefined ? { command: "x" } : { command: "x", roots };
  const entry = readEntry({ name: "s", value }, origins[trust], {
    warn: (text) => warnings.push(text),
  });
  return [entry, warnings];
}

test.each<readonly [unknown, RootsRule | undefined]>([
  [undefined, undefined],
  [null, undefined],
  ["none", "none"],
  ["workspace", "workspace"],
  ["client", "client"],
  [
    ["/data", "src"],
    ["/data", "src"],
  ],
])("roots = %p", (written, expected) => {
  expect(read(written)[0].options.roots).toEqual(expected as never);
});

test.each([["all"], ["/data"], [[]], [[""]], [["a\0b"]], [[1]], [true], [{}]])(
  "roots = %p makes the entry unusable",
  (written) => {
    expect(() => read(written)).toThrow(EntryFault);
  },
);

test.each<readonly [unknown, RootsRule | undefined, boolean]>([
  [undefined, undefined, false],
  ["none", "none", false],
  ["workspace", "workspace", false],
  ["client", undefined, true],
  [["src", "./a/../b", "."], ["src", "./a/../b", "."], false],
  [["src", "/etc", "../x", "~/x", "${HOME}", "a/../../x"], ["src"], true],
  [["/etc"], "none", true],
])("a project's roots = %p may only tell less", (written, expected, isWarned) => {
  const [{ options }, warnings] = read(written, "project");
  expect([options.roots, warnings]).toEqual([
    expected,
    isWarned ? ["roots is ignored: a project's file may only make it stricter."] : [],
  ] as never);
});

test.each<readonly [users: unknown, projects: unknown, RootsRule | undefined, boolean]>([
  [undefined, "workspace", "workspace", false],
  ["none", undefined, "none", false],
  ["none", "workspace", "none", true],
  ["workspace", "none", "none", false],
  ["workspace", ["src"], ["src"], false],
  [["/data"], ["src"], ["/data"], true],
])("beside the user's %p a project's %p", (users, projects, expected, isWarned) => {
  const warnings: string[] = [];
  const entries = [read(users)[0], read(projects, "project")[0]];
  const merged = mergeEntries(entries, (_entry, text) => warnings.push(text)).get("s");
  expect([merged?.entry.options.roots, warnings.length]).toEqual([
    expected,
    isWarned ? 1 : 0,
  ] as never);
});
