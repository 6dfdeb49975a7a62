import { describe, expect, test } from "bun:test";

import { defaultServerOptions, isolationOf } from "../../../src/upstream/config/entry-options.ts";
import type { Isolation, Principals } from "../../../src/upstream/config/server-entry.ts";

const rows: readonly [
  trust: "user" | "project",
  written: Isolation | undefined,
  arg: string,
  principals: Principals,
  expected: Isolation,
][] = [
  ["user", undefined, "", undefined, "shared"],
  ["user", undefined, "", "one", "shared"],
  ["user", undefined, "", "several", "user"],
  ["user", undefined, "${principal}", undefined, "shared"],
  ["user", undefined, "${principalDir}/a", "one", "user"],
  ["user", undefined, "$${principals}", "one", "shared"],
  ["user", "shared", "", "several", "shared"],
  ["user", "workspace", "", "several", "workspace"],
  ["user", "user", "", undefined, "shared"],
  ["user", "user", "", "one", "user"],
  ["user", "session", "", undefined, "session"],
  ["project", "shared", "", "one", "shared"],
  ["project", "shared", "", "several", "user"],
  ["project", "workspace", "", "several", "user"],
  ["project", "call", "", "several", "call"],
];

describe("isolationOf()", () => {
  test.each(rows)("of a %s's entry with %p and the argument %p, %p served: %s", (...row) => {
    const [trust, written, arg, principals, expected] = row;
    const entry = {
      launch: { transport: "stdio", command: "x", args: [arg], env: {} },
      options: { ...defaultServerOptions, ...(written && { isolation: written }) },
      origin: { rank: 2, trust, scope: "global" },
    } as const;
    expect(isolationOf(entry, principals)).toBe(expected);
  });
});
