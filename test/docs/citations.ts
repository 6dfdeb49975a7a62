import { existsSync } from "node:fs";
import { join } from "node:path";

import { anchorsOf, readPage, root, withoutFences } from "./pages.ts";

/** A text in which something may be cited. */
export interface CitingText {
  /** Relative to the root of the checkout. */
  readonly file: string;
  readonly text: string;
}

/** An id that a page of docs/spec defines: an entry or a row that begins with it, with its anchor. */
export interface SpecId {
  readonly id: string;
  readonly anchor: string;
  readonly file: string;
}

const specPages = [...new Bun.Glob("*.md").scanSync(join(root, "docs/spec"))]
  .sort()
  .map((name) => readPage(`docs/spec/${name}`));

export const specIds: readonly SpecId[] = specPages.flatMap(({ file, text }) =>
  [...text.matchAll(/<a id="([^"]*)"><\/a>\*\*([^*]+)\*\*/g)].map(([, anchor = "", id = ""]) => ({
    id,
    anchor,
    file,
  })),
);

const defined: ReadonlySet<string> = new Set(specIds.map(({ id }) => id));

/** Families whose ids are looked for everywhere, strings of tests included. */
const families = "IN|CF|CL|CN|NM|DF|TR|CA|EN|IS|SE|OA|RP|SH|HP|KF|TH|HB|TM|FL";
const idExpression = new RegExp(
  String.raw`\b(?:${families})\d{1,2}[a-z]?\b|\bGW-\d\d\b|\bU-[a-z]+\b|(?<![\w#%$\\.-])[BFGHLNPSW]\d\d(?![\w-])`,
  "g",
);
const rangeExpression = new RegExp(String.raw`\b(${families})(\d{1,2})–(?:\1)?(\d{1,2})\b`, "g");
/** An acceptance row as requirements name it. */
const requirementExpression = /"\[?gateway\.(gw-\d\d)/g;
const pathExpression = /(?<![\w/])docs\/[\w/-]+\.md(?:#[\w-]+)?/g;

/** What in a comment looks like an id and is the name of something else. */
const notIds =
  /^(?:UTF-?\d+|SHA-?\d+|AES-\d+|BM25F?|C[01]|F1|P-\d+|S256|GIF8[79]a|SOF\d+|IPV?6|ARM64|ECMA-48|PDF-1|HS256|RS256|ES256|KOI8|VP8|TLS1|H1|X11)$/;
/** Files of users, by the names that they have there. */
const userPages = /(?:^|\/)(?:SKILL|CLAUDE|mcp-index|<date>-<slug>)\.md$/;
const rootPages: ReadonlySet<string> = new Set(["README.md", "CHANGELOG.md", "CONTRIBUTING.md"]);
/** A section or a row of something without a name, or "the contract", whichever that is. */
const vagueInCode =
  /§ ?\d[\d.]*|\b[Ss]ections? \d+|\b[Rr]ows? \d+|\b(?:gateway|published|the) contract\b|\b(?:contract|notes) of [A-Z]\w+/g;
/** Pages have tables of their own, whose rows they may speak of. */
const vagueOnPages = /§ ?\d[\d.]*|\b[Ss]ections? \d+/g;
/** Public specifications that are cited by name, with the section. */
const publicSection =
  /\b(?:RFC \d+|SEP-\d+|ECMA-48|TIFF 6\.0|PNG specification|MCP specification)[,]? \(?sections? [\d.]+(?:(?:,| and) [\d.]+)*/g;

/** The citations of a text that lead nowhere, as they are written. */
export function deadCitations({ file, text }: CitingText): string[] {
  const isPage = file.endsWith(".md");
  const prose = isPage ? [withoutFences(text)] : commentsOf(text);
  const dead = [
    ...ids(text).filter((id) => !defined.has(id)),
    ...[...text.matchAll(pathExpression)].map(([path]) => path).filter((path) => !isThere(path)),
    ...prose.flatMap((part) => vagueCitations(part, isPage ? vagueOnPages : vagueInCode)),
    ...(isPage ? [] : prose.flatMap(foreignPages)),
    ...(isPage ? [] : [...prose, ...titleMarks(text)].flatMap(unknownIds)),
  ];
  return [...new Set(dead)];
}

function ids(text: string): string[] {
  const ranges = [...text.matchAll(rangeExpression)].flatMap(([, family = "", from, to]) => {
    const numbers = Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => at);
    return numbers.map((number) => `${family}${number + Number(from)}`);
  });
  const single = [...text.matchAll(idExpression)].map(([id]) => id);
  const required = [...text.matchAll(requirementExpression)].map(([, id = ""]) => id.toUpperCase());
  return [...single, ...ranges, ...required];
}

function isThere(path: string): boolean {
  const [file = "", anchor] = path.split("#");
  // What a measurement writes may be missing in a checkout.
  if (anchor === undefined) return existsSync(join(root, file)) || /benchmarks|verif/.test(file);
  return existsSync(join(root, file)) && anchorsOf(readPage(file).text).includes(anchor);
}

function vagueCitations(text: string, vague: RegExp): string[] {
  return [...text.replaceAll(publicSection, "").matchAll(vague)].map(([match]) => match);
}

/** Pages that are cited by a name alone, or are not in this checkout. */
function foreignPages(text: string): string[] {
  return [...text.matchAll(/[\w./<>*-]*[\w>]\.md\b/g)]
    .map(([page]) => page)
    .filter((page) => !page.startsWith("docs/") && !rootPages.has(page) && !userPages.test(page));
}

/** What looks like an id of a family that docs/spec does not have. */
function unknownIds(text: string): string[] {
  return [...text.matchAll(/(?<![\w$#%\\-])[A-Z]{1,4}-?\d{1,3}[a-z]?(?![\w-])/g)]
    .map(([id]) => id)
    .filter((id) => !defined.has(id) && !notIds.test(id) && !/^(?:SEP|RFC)-/.test(id));
}

/** Marks in front of a test's name (`"HP5, KF2: …"`), or in brackets in it. */
function titleMarks(text: string): string[] {
  const mark = String.raw`[A-Z]{1,4}-?\d{1,3}[a-z]?`;
  const marks = `${mark}(?:, ${mark})*`;
  const expression = new RegExp(
    `["'\`](?:\\[[a-z0-9.-]+\\] )?(${marks}): |\\[(${marks})\\] ?[a-z]|[a-z] \\[(${marks})\\]["'\`:]|[a-z] \\((${marks})\\)`,
    "g",
  );
  return [...text.matchAll(expression)].map((match) => match.slice(1).join(" "));
}

/** The comments of a source, each as one line; consecutive line comments are one. */
export function commentsOf(text: string): string[] {
  const comments: string[] = [];
  let isInBlock = false;
  let wasLine = false;
  const append = (part: string, isNew: boolean): void => {
    if (isNew || comments.length === 0) comments.push(part);
    else comments.push(`${comments.pop() ?? ""} ${part}`);
  };
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    const isBlockStart = !isInBlock && line.startsWith("/*");
    const own = /^(?:\/\/|#(?!!)) ?(.*)/.exec(line)?.[1];
    if (isInBlock || isBlockStart) {
      append(
        line
          .replace(/^\/?\*+\/?/, "")
          .replace(/\*\/.*$/, "")
          .trim(),
        isBlockStart,
      );
      isInBlock = !line.includes("*/");
    } else if (own !== undefined) append(own, !wasLine);
    else {
      const trailing = /\s\/\/ (.*)$/.exec(raw)?.[1];
      if (trailing !== undefined) append(trailing, true);
    }
    wasLine = own !== undefined && !isInBlock && !isBlockStart;
  }
  return comments;
}
