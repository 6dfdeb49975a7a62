import { readFileSync } from "node:fs";
import { join } from "node:path";

import { pageTable, prose } from "./markdown.ts";

/** The cases of the battery, as it declares them: id, what is done, what is expected. */
export function batteryTable(root: string): string {
  const text = readFileSync(join(root, "scripts/security/battery.ts"), "utf8");
  const cases = text.matchAll(/^T\("([A-Z]\d\d)", "((?:[^"\\]|\\.)*)", (["`])(.*?)\3, async/gm);
  const rows = [...cases].map(([, id = "", title = "", , expected = ""]) => [
    `<a id="${id.toLowerCase()}"></a>**${id}**`,
    prose(unescaped(title)),
    prose(unescaped(expected)),
  ]);
  return pageTable(["id", "what is done", "what is expected"], rows);
}

/** A text of the source as it prints itself; the limits of a run are named. */
function unescaped(text: string): string {
  return text
    .replaceAll(/\\(.)/g, "$1")
    .replaceAll(/\$\{LIM\.(\w+)\}/g, "`$1`")
    .replaceAll("*", "\\*")
    .replaceAll(/(?<!`)__/g, "\\_\\_");
}
