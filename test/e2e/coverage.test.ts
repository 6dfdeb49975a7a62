import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { requirements } from "./requirements.ts";

/** The ids that tests of this folder cite: `test("[exit.kill-9] …")`, or a row of a table: `["exit.kill-9", …]`. */
function citedIds(): Set<string> {
  const ids = new Set<string>();
  for (const name of readdirSync(import.meta.dir)) {
    if (!name.endsWith(".test.ts") || name === "coverage.test.ts") continue;
    const text = readFileSync(join(import.meta.dir, name), "utf8");
    for (const [, id] of text.matchAll(/"\[([a-z]+\.[a-z0-9-]+)\]/g)) ids.add(id ?? "");
    for (const [, id] of text.matchAll(/^\s*\["([a-z]+\.[a-z0-9-]+)",/gm)) ids.add(id ?? "");
  }
  return ids;
}

test("every promise has a test, and every citation a promise", () => {
  expect([...citedIds()].sort()).toEqual(Object.keys(requirements).sort());
});
