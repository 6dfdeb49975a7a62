import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { anchorsOf } from "../docs/pages.ts";
import { root } from "./harness/binary.ts";
import { requirements } from "./requirements.ts";

/** The ids that tests of this folder cite: `test("[exit.kill-9] …")`, or a row of a table: `["exit.kill-9", …]`. */
function citedIds(): Set<string> {
  const ids = new Set<string>();
  for (const name of readdirSync(import.meta.dir)) {
    if (!name.endsWith(".test.ts") || name === "coverage.test.ts") continue;
    const text = readFileSync(join(import.meta.dir, name), "utf8");
    for (const [, id] of text.matchAll(/(?:"|\] )\[([a-z]+\.[a-z0-9-]+)\]/g)) ids.add(id ?? "");
    for (const [, id] of text.matchAll(/^\s*\["([a-z]+\.[a-z0-9-]+)",/gm)) ids.add(id ?? "");
  }
  return ids;
}

/** A page of the specification, an RFC, or a heading of our documentation that is there. */
function isStated(spec: string): boolean {
  if (!spec.startsWith("docs/")) {
    return /^((\d{4}-\d\d-\d\d|extensions|seps)(\/[a-z0-9-]+)+|RFC \d+)$/.test(spec);
  }
  const [file = "", anchor] = spec.split("#");
  const path = join(root, file);
  if (!existsSync(path)) return false;
  return anchor === undefined || anchorsOf(readFileSync(path, "utf8")).includes(anchor);
}

test("every promise has a test, and every citation a promise", () => {
  expect([...citedIds()].sort()).toEqual(Object.keys(requirements).sort());
});

test("every promise names where it is stated", () => {
  const unstated = Object.entries(requirements).filter(([, { spec }]) => !isStated(spec));
  expect(unstated).toEqual([]);
});
