import { isDeepStrictEqual } from "node:util";

import type { Recording } from "./record.ts";

/** What `doctor --as CLIENT --json` says of the start. */
export interface DoctorFacts {
  readonly clientName: string;
  readonly revision: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly command: readonly string[];
  readonly path: string | null;
  readonly variables: readonly string[];
  readonly tools: readonly {
    readonly name: string;
    readonly shown: string | null;
    readonly descriptionChars: number;
  }[];
}

/** Characters of the words that say that a description was cut. */
const cutMarkCharsMax = 20;

/** Where a client did other than `doctor` says. `shell` are the variables in which both were started. */
export function differencesOf(
  facts: DoctorFacts,
  seen: Recording,
  shell: readonly string[],
): readonly string[] {
  const differences: string[] = [];
  const compare = (what: string, says: unknown, does: unknown): void => {
    if (isDeepStrictEqual(says, does)) return;
    differences.push(`${what}: doctor says ${JSON.stringify(says)}, it is ${JSON.stringify(does)}`);
  };
  compare("clientInfo.name", facts.clientName, seen.clientInfo["name"]);
  compare("revision", facts.revision, seen.version);
  compare("capabilities", facts.capabilities, seen.capabilities);
  const passedOn = (names: readonly string[]): readonly string[] =>
    shell.filter((name) => names.includes(name));
  compare("variables", passedOn(facts.variables), passedOn(Object.keys(seen.environment)));
  // A client may put a folder of its own first.
  if (facts.path === null || seen.environment["PATH"]?.endsWith(facts.path) !== true)
    compare("PATH", facts.path, seen.environment["PATH"]);
  const offered = new Map(
    seen.offered.map(({ name, namespace, description = "" }) => [
      namespace === undefined ? name : `${namespace}/${name}`,
      description,
    ]),
  );
  for (const { name, shown, descriptionChars } of facts.tools) {
    const key = [...offered.keys()].find((each) => isSeen(each, name, shown));
    const description = key === undefined ? undefined : offered.get(key);
    if (shown === null) {
      if (description !== undefined) differences.push(`${name}: shown, not searched for`);
    } else if (description === undefined) {
      differences.push(`${shown}: not shown`);
    } else if (!isOfLength(description, descriptionChars)) {
      compare(`characters of the description of ${name}`, descriptionChars, description.length);
    }
  }
  return differences;
}

/** Whether the client's name `each` is that of the tool; a tool that should not be shown is looked for by its own name. */
export function isSeen(each: string, name: string, shown: string | null): boolean {
  if (shown === null) return each.endsWith(`_${name}`);
  return shown.endsWith("…") ? each.startsWith(shown.slice(0, -1)) : each === shown;
}

function isOfLength(description: string, chars: number): boolean {
  if (description.length === chars) return true;
  const isMarked = /truncated\]?$/.test(description);
  return isMarked && description.length > chars && description.length <= chars + cutMarkCharsMax;
}
