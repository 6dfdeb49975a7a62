import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dir, "../..");

/** Made by `bun run bench` and `bun run verify`: a checkout may lack them. */
const measuredPages: ReadonlySet<string> = new Set([
  "docs/internals/benchmarks.md",
  "docs/internals/verification.md",
]);

/** A page of the documentation. */
export interface Page {
  /** Relative to the root of the checkout. */
  readonly file: string;
  readonly text: string;
}

export function readPage(file: string): Page {
  return { file, text: readFileSync(join(root, file), "utf8") };
}

/** The pages that folders of `src` have of their own. */
export const folderPages: readonly string[] = [
  ...new Bun.Glob("**/README.md").scanSync(join(root, "src")),
]
  .map((name) => `src/${name.replaceAll("\\", "/")}`)
  .sort();

/** The pages that are written by hand. */
export const pages: readonly Page[] = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  ...["docs", "docs/spec"].flatMap(pagesIn),
  ...folderPages,
]
  .filter((file) => !measuredPages.has(file))
  .map(readPage);

function pagesIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`);
}

/** True for a path of the checkout that is there, or is made by a measurement. */
export function isThere(file: string): boolean {
  return existsSync(join(root, file)) || measuredPages.has(file);
}

const fence = /^ *```(\w*)\n([\s\S]*?)^ *```$/gm;

/** The text without fenced blocks. */
export function withoutFences(text: string): string {
  return text.replaceAll(fence, "");
}

/** Lines of the blocks fenced as shell, with continued lines joined and comments left out. */
export function shellLines(text: string): string[] {
  return [...text.matchAll(fence)]
    .filter(([, language]) => language === "sh" || language === "bash")
    .flatMap(([, , body = ""]) => body.replaceAll("\\\n", " ").split("\n"))
    .map((line) => line.replace(/(^|\s)#.*$/, "").trim())
    .filter((line) => line !== "");
}

/** What stands in single backticks. */
export function codeSpans(text: string): string[] {
  return [...withoutFences(text).matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
}

/** The anchors that a renderer gives to the headings, and those that are written out. */
export function anchorsOf(text: string): string[] {
  const body = withoutFences(text);
  const headings = [...body.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
  return [...headings, ...[...body.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id)];
}
