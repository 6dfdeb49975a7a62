import { isObject, likeOriginal } from "../../base/values.ts";
import { jsonDepthMax } from "../../base/upstream-limits.ts";
import { cleanText } from "../adapters/text-of.ts";
import type { ServerCatalogue } from "../connect/connection.ts";

/** Members that are only read and never compared: their text may change. */
const proseMembers: ReadonlySet<string> = new Set(["title", "description"]);

/**
 * Takes the secrets of the entry out of a server's catalogue (CF16), before any of it is hashed, kept or shown, so that
 * a new secret does not make a tool a different one. Names of tools, addresses and the values in schemas stay
 * unchanged, since calls need them.
 * @param clean takes secrets and control sequences out of a text
 */
export function redactCatalogue(
  catalogue: ServerCatalogue,
  clean: (text: string) => string,
): ServerCatalogue {
  // Hidden characters in a text without secrets stay: they are a reason to ask the user about a tool (TR4).
  const redact = (text: string): string => {
    const cleaned = clean(text);
    return cleaned === cleanText(text) ? text : cleaned;
  };
  const all = <Item extends object>(items: readonly Item[]): readonly Item[] =>
    items.map((item) => likeOriginal(item, redactProse(item, redact)));
  const { serverInfo, instructions } = catalogue;
  return {
    ...catalogue,
    ...(serverInfo === undefined ? {} : { serverInfo: redactValues(serverInfo, redact) }),
    ...(instructions === undefined ? {} : { instructions: redact(instructions) }),
    tools: all(catalogue.tools),
    prompts: all(catalogue.prompts),
    resources: all(catalogue.resources).map((item) => ({ ...item, name: redact(item.name) })),
    templates: all(catalogue.templates).map((item) => ({ ...item, name: redact(item.name) })),
    problems: catalogue.problems.map(redact),
  };
}

/** A copy in which only the texts of `proseMembers` differ, at any depth. */
function redactProse(value: unknown, redact: (text: string) => string, depth = 0): unknown {
  if (depth > jsonDepthMax) return value;
  if (Array.isArray(value)) {
    return value.map((part: unknown) => redactProse(part, redact, depth + 1));
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, part]) => [
    name,
    typeof part === "string" && proseMembers.has(name)
      ? redact(part)
      : redactProse(part, redact, depth + 1),
  ]);
  // `fromEntries` also creates an own member named `__proto__`.
  return Object.fromEntries(members);
}

function redactValues<Info extends object>(info: Info, redact: (text: string) => string): Info {
  const members = Object.entries(info).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === "string" ? redact(value) : value,
  ]);
  return likeOriginal(info, Object.fromEntries(members));
}
