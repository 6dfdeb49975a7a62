import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { allowed } from "./allowed.ts";
import { type Passage, readPassages } from "./read-passages.ts";
import { type Rule, rules } from "./rules.ts";

/** A place where a rule of docs/style.md is broken. */
export interface Finding {
  /** Relative to the root of the checkout. */
  readonly file: string;
  readonly line: number;
  readonly rule: Rule;
  /** The passage around the match. */
  readonly excerpt: string;
}

/** Pages that measurements write, and records of findings with the words of their time. */
const records = ["benchmarks", "real-use", "security-review", "verification"].map(
  (name) => `docs/internals/${name}.md`,
);

const single = ["README.md", "CONTRIBUTING.md", "scripts/install.sh", "scripts/install.ps1"];

/** Every file whose prose is looked at: the sources, the documentation, the installers. */
export function proseFiles(root: string): string[] {
  const below = (folder: string, end: string): string[] =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(end))
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`);
  const pages = below("docs", ".md").filter((file) => !records.includes(file));
  return [...below("src", ".ts"), ...pages, ...single].sort();
}

export function findingsOf(root: string, file: string): Finding[] {
  return readPassages(file, readFileSync(join(root, file), "utf8")).flatMap((passage) =>
    findingsIn(passage).map((found) => ({ file, line: passage.line, ...found })),
  );
}

/** The rules that a passage breaks, allowed phrases aside. */
export function findingsIn({
  text,
  isDoc,
}: Pick<Passage, "text" | "isDoc">): Pick<Finding, "rule" | "excerpt">[] {
  const judged = Object.keys(allowed).reduce((rest, phrase) => rest.replaceAll(phrase, "…"), text);
  return rules.flatMap((rule) => {
    if (rule.isForDocs === true && isDoc !== true) return [];
    const match = rule.expression.exec(judged);
    if (match === null) return [];
    const excerpt = judged.slice(Math.max(0, match.index - 60), match.index + 80);
    return [{ rule, excerpt }];
  });
}

/** The area of a file: `src/<folder>`, a folder, or the file itself. */
export function areaOf(file: string): string {
  const parts = file.split("/");
  return parts.slice(0, parts[0] === "src" ? Math.min(2, parts.length) : 1).join("/");
}
