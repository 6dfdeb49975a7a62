/** A step of a section of CONTRIBUTING.md that says how to add something. */
export type Step =
  | { readonly kind: "create"; readonly path: string; readonly text: string }
  | { readonly kind: "insert"; readonly path: string; readonly lines: readonly DiffLine[] }
  | { readonly kind: "run"; readonly command: string };

export interface DiffLine {
  readonly isNew: boolean;
  readonly text: string;
}

/** How to add something. */
export interface Recipe {
  /** `A new tool`. */
  readonly heading: string;
  readonly steps: readonly Step[];
}

const fence = /^( *)```(\w+)\n([\s\S]*?)^ *```$/gm;
const pathSpan = /`((?:src|test)\/[\w./-]+\.ts)`/g;

/**
 * The sections of `text` whose headings begin with "A new". The file of a block is the last one that is named above it: a
 * block `ts` is the whole file, a block `diff` has lines that go into it, with their neighbours. Lines of a block `sh` are run.
 */
export function readRecipes(text: string): Recipe[] {
  return text
    .split(/^## /m)
    .filter((section) => section.startsWith("A new "))
    .map((section) => ({
      heading: section.slice(0, section.indexOf("\n")),
      steps: steps(section),
    }));
}

function steps(section: string): Step[] {
  return [...section.matchAll(fence)].flatMap((match): Step[] => {
    const [, indent = "", language, indented = ""] = match;
    const body = indented.replaceAll(new RegExp(`^${indent}`, "gm"), "");
    if (language === "sh") {
      return body
        .trimEnd()
        .split("\n")
        .map((command) => ({ kind: "run", command }));
    }
    const path = [...section.slice(0, match.index).matchAll(pathSpan)].at(-1)?.[1];
    if (path === undefined) throw new Error(`no file is named above:\n${body}`);
    return [
      language === "diff"
        ? { kind: "insert", path, lines: diffLines(body) }
        : { kind: "create", path, text: body },
    ];
  });
}

function diffLines(body: string): DiffLine[] {
  return body
    .trimEnd()
    .split("\n")
    .map((line) => ({ isNew: line.startsWith("+"), text: line.slice(1) }));
}

/**
 * `text` with the new lines between their neighbours.
 * @throws Error when the neighbours are not there, or more than once
 */
export function insertLines(text: string, lines: readonly DiffLine[]): string {
  const before = lines.filter(({ isNew }) => !isNew).map((line) => `${line.text}\n`);
  const after = lines.map((line) => `${line.text}\n`);
  const found = text.split(before.join(""));
  if (found.length !== 2) {
    const times = found.length === 1 ? "not there" : `there ${found.length - 1} times`;
    throw new Error(`these lines are ${times}:\n${before.join("")}`);
  }
  return found.join(after.join(""));
}
