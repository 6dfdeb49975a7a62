/**
 * Looks for phrases that docs/style.md rules out.
 *
 *     bun scripts/english.ts             how many there are in each folder
 *     bun scripts/english.ts PREFIX…     each of them, in files whose paths begin so
 */
import { join } from "node:path";

import { areaOf, findingsOf, proseFiles } from "./english/findings.ts";

const root = join(import.meta.dir, "..");
const prefixes = process.argv.slice(2);

const findings = proseFiles(root).flatMap((file) => findingsOf(root, file));
if (prefixes.length === 0) {
  const areas = new Map<string, number>();
  for (const { file } of findings) areas.set(areaOf(file), (areas.get(areaOf(file)) ?? 0) + 1);
  for (const [area, count] of areas) console.log(`${String(count).padStart(5)}  ${area}`);
}
for (const { file, line, rule, excerpt } of findings) {
  if (!prefixes.some((prefix) => file.startsWith(prefix))) continue;
  console.log(`${file}:${line}: ${rule.name} (${rule.instead})\n    ${excerpt}`);
}
