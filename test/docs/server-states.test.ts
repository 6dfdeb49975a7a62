import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

const union =
  /export type ServerState =([^]*?);\n\n/.exec(read("src/upstream/server-state.ts"))?.[1] ?? "";
const states = [...union.matchAll(/\| "(\w+)"/g)].map(([, state]) => state);

test.each(["docs/gateway.md", "docs/mcp-troubleshooting.md"])(
  "%s has a row for each state of a server",
  (page) => {
    const rows = [...read(page).matchAll(/^\| `(\w+)` +\|/gm)].map(([, state]) => state);
    expect(states).toHaveLength(12);
    expect(rows.filter((row) => states.includes(row))).toEqual(states);
  },
);
