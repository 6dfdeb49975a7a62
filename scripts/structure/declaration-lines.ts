import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parseSync } from "oxc-parser";

import { describeSource, readSources } from "./source-file.ts";

/**
 * Lines of code of files below `folder`, or of single declarations in them (`file#name`); all of the folder for no names.
 * @throws when a file does not have the declaration
 */
export function codeLinesOf(folder: string, names: readonly string[] | undefined): number {
  if (names === undefined) {
    return readSources(folder).reduce((sum, { codeLines }) => sum + codeLines, 0);
  }
  return names.reduce((sum, name) => {
    const [file = "", declaration] = name.split("#");
    const text = readFileSync(join(folder, file), "utf8");
    const part = declaration === undefined ? text : declarationIn(text, file, declaration);
    return sum + describeSource(file, part).codeLines;
  }, 0);
}

function declarationIn(text: string, file: string, name: string): string {
  for (const statement of parseSync(file, text).program.body) {
    const inner =
      statement.type === "ExportNamedDeclaration"
        ? (statement.declaration ?? statement)
        : statement;
    const names =
      inner.type === "VariableDeclaration"
        ? inner.declarations.map(({ id }) => id)
        : "id" in inner
          ? [inner.id]
          : [];
    if (names.some((id) => id !== null && id !== undefined && "name" in id && id.name === name)) {
      return text.slice(statement.start, statement.end);
    }
  }
  throw new Error(`${file} does not declare ${name}.`);
}
