import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative } from "node:path";

import { parseSync } from "oxc-parser";

/** A file of `src/`, as the figures see it. */
export interface SourceFile {
  /** Below `src/`. */
  readonly path: string;
  readonly lines: number;
  /** Lines with code on them: neither blank nor comment alone. */
  readonly codeLines: number;
  /** Names that it exports, types too; `*` for each `export * from`. */
  readonly exports: readonly string[];
  /** Paths below `src/` of what it imports, types and imports at run time too; each once. */
  readonly imports: readonly string[];
}

/** The TypeScript files below `folder`, by path. */
export function readSources(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort()
    .map((path) => describeSource(path, readFileSync(join(folder, path), "utf8")));
}

/** @throws Error when the text does not parse */
export function describeSource(path: string, text: string): SourceFile {
  const { module, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  const exports = module.staticExports.flatMap(({ entries }) =>
    entries.map(({ exportName }) => exportName.name ?? "*"),
  );
  const asked = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    // Between its quotes; what is put together at run time is no file of ours.
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) =>
      text.slice(start + 1, end - 1),
    ),
  ];
  const imports = asked
    .filter((target) => target.startsWith("."))
    .map((target) => posix.join(posix.dirname(path), target))
    .filter((target) => target.endsWith(".ts") && !target.startsWith(".."));
  return {
    path,
    lines: text.trimEnd().split("\n").length,
    codeLines: countCode(text, comments),
    exports,
    imports: [...new Set(imports)],
  };
}

/** Lines that are not blank once the comments are. */
function countCode(
  text: string,
  comments: readonly { readonly start: number; readonly end: number }[],
): number {
  let code = "";
  let end = 0;
  for (const comment of comments) {
    const newlines = text.slice(comment.start, comment.end).replaceAll(/[^\n]/g, "");
    code += text.slice(end, comment.start) + newlines;
    end = comment.end;
  }
  code += text.slice(end);
  return code.split("\n").filter((line) => line.trim() !== "").length;
}
