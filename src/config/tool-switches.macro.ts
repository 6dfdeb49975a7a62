import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The tools as their switches name them, in the order of the catalogue. Runs while the program is bundled and reads the
 * catalogue as text: configuration knows no tool.
 * @throws Error when the catalogue has another form
 */
export function toolSwitches(): string[] {
  const text = readFileSync(join(import.meta.dir, "../tools/catalogue.ts"), "utf8");
  const names = [...text.matchAll(/^  \["(\w+)", async/gm)].flatMap(([, name]) => name ?? []);
  if (names.length === 0) throw new Error("src/tools/catalogue.ts has no list of tools");
  return names.map((name) => name.toUpperCase());
}
