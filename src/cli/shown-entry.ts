import { hideInArguments, hideLiteral, isSecretName } from "../base/secrets.ts";
import type { NewEntry } from "../upstream/edit/server-text.ts";
import { tomlKey, tomlPairs } from "../upstream/edit/toml-edit.ts";

/** A secret in an entry, by its path: `env.GITHUB_TOKEN`. */
export interface PlainSecret {
  readonly path: string;
  /** A name for it, to be used in a reference. */
  readonly name: string;
}

/** Headers that say nothing secret. */
const openHeaders = new Set([
  "accept",
  "content-type",
  "user-agent",
  "x-mcp-readonly",
  "x-mcp-toolsets",
]);
/** The entry with `***` in the place of every secret that is written in it; references stay. */
export function shownEntry(entry: NewEntry): NewEntry {
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [key, shownValue([key], value)]),
  );
}

/** Secrets that are written in the entry itself. */
export function plainSecrets(entry: NewEntry): readonly PlainSecret[] {
  return differences([], entry, shownEntry(entry));
}

/** As a table of `config.toml`, secrets hidden. */
export function entryLines(name: string, entry: NewEntry): readonly string[] {
  return [`[mcp.servers.${tomlKey(name)}]`, ...tomlPairs(shownEntry(entry))];
}

function shownValue(path: readonly string[], value: unknown): unknown {
  if (typeof value === "string") return shownText(path, value);
  if (Array.isArray(value)) {
    return value.every((item) => typeof item === "string")
      ? hideInArguments(value)
      : value.map((item) => shownValue(path, item));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, shownValue([...path, key], inner)]),
  );
}

function shownText(path: readonly string[], text: string): string {
  const [field, name = ""] = path;
  if (field === "headers") return openHeaders.has(name.toLowerCase()) ? text : hideLiteral(text);
  const isPlace = field === "oauth" && name.endsWith("_file");
  if (path.length > 1 && isSecretName(name) && !isPlace) return hideLiteral(text);
  return hideInArguments([text])[0] ?? "";
}

function differences(path: readonly string[], one: unknown, other: unknown): PlainSecret[] {
  if (typeof one === "object" && one !== null && typeof other === "object" && other !== null) {
    return Object.entries(one).flatMap(([key, value]) =>
      differences([...path, key], value, (other as Record<string, unknown>)[key]),
    );
  }
  if (one === other) return [];
  return [{ path: path.join("."), name: nameFor(path, other) }];
}

/** The part before the hidden one, as in `API_KEY=***`, else the key of a map. */
function nameFor(path: readonly string[], shown: unknown): string {
  const written =
    typeof shown === "string" ? /([A-Za-z][\w-]*)=\*\*\*/.exec(shown)?.[1] : undefined;
  const key = path.length > 1 ? path.at(-1) : undefined;
  const name = written ?? (key !== undefined && !/^\d+$/.test(key) ? key : "SECRET");
  return name.toUpperCase().replaceAll(/\W/g, "_");
}
