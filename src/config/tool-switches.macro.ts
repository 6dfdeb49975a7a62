import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The tools as their switches name them, in the order of the catalogue. Runs while the program is bundled and reads the
 * catalogue as text: what is configured knows no tool, and importing them would load them all.
 * @throws Error when the catalogue has another form
 */
export function toolSwitches(): string[] {
  const text = readFileSync(join(import.meta.dir, "../tools/catalogue.ts"), "utf8");
  const [, list] = /\bcatalogue: readonly AnyTool\[\] = \[([\w\s,]+)\];/.exec(text) ?? [];
  if (list === undefined) throw new Error("src/tools/catalogue.ts has no list of tools");
  return [...list.matchAll(/\w+/g)].map(([tool]) => tool.toUpperCase());
}
