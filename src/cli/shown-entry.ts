import { redact } from "../policy/audit/redact.ts";
import { isSecretName } from "../upstream/config/secret-names.ts";
import type { NewEntry } from "../upstream/edit/server-text.ts";
import { tomlKey, tomlPairs } from "../upstream/edit/toml-value.ts";

/** What an entry keeps to itself, by its path: `env.GITHUB_TOKEN`. */
export interface PlainSecret {
  readonly path: string;
  /** A name for it, to be used in a reference. */
  readonly name: string;
}

const hidden = "***";

/** Headers that say nothing secret. */
const openHeaders = new Set([
  "accept",
  "content-type",
  "user-agent",
  "x-mcp-readonly",
  "x-mcp-toolsets",
]);
/** `${…}`: the secret is elsewhere. */
const reference = /(?<!\$)\$\{[^}]*\}/g;

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
  if (Array.isArray(value)) return shownList(path, value);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, shownValue([...path, key], inner)]),
  );
}

/** `--api-key VALUE` as well as `--api-key=VALUE`. */
function shownList(path: readonly string[], list: readonly unknown[]): readonly unknown[] {
  return list.map((item, index) => {
    const isValue = typeof item === "string" && !item.startsWith("--");
    return isValue && isSecretFlag(list[index - 1]) ? hideLiteral(item) : shownValue(path, item);
  });
}

/** Not `--token-file` or `--auth-mode`, which say where a secret is or how it is used. */
function isSecretFlag(word: unknown): boolean {
  if (typeof word !== "string" || !/^--?[\w-]+$/.test(word) || !isSecretName(word)) return false;
  return !/(?:mode|type|file|path|dir|url|uri|name|host|port|method|server)$/i.test(word);
}

function shownText(path: readonly string[], text: string): string {
  const [field, name = ""] = path;
  if (field === "headers") return openHeaders.has(name.toLowerCase()) ? text : hideLiteral(text);
  const isPlace = field === "oauth" && name.endsWith("_file");
  if (path.length > 1 && isSecretName(name) && !isPlace) return hideLiteral(text);
  if (field === "url") return shownUrl(text);
  const [, flag, value = ""] = /^(--?[\w-]+)=(.+)$/s.exec(text) ?? [];
  if (isSecretFlag(flag)) return `${flag}=${hideLiteral(value)}`;
  return hideShapes(text);
}

/** What is left of a text when its references, and the word that names the scheme, are kept. */
function hideLiteral(text: string): string {
  const scheme = /^(?:Bearer|Basic|Token)\s+/i.exec(text)?.[0] ?? "";
  const rest = text.slice(scheme.length);
  if (rest.replaceAll(reference, "").trim() === "") return text;
  return `${scheme}${hidden}`;
}

function shownUrl(text: string): string {
  const withoutUser = text.replace(/(?<=:\/\/)[^/@\s]+(?=@)/, (user) => hideLiteral(user));
  const withoutNamed = withoutUser.replaceAll(
    /(?<=[?&])([^=&#]+)=([^&#]+)/g,
    (pair, name: string, value: string) =>
      isSecretName(name) ? `${name}=${hideLiteral(value)}` : pair,
  );
  return hideShapes(withoutNamed);
}

/** What looks like a key of a service, or is called a secret in the text itself; references stay. */
function hideShapes(text: string): string {
  const kept: string[] = [];
  // With what is before it: a name with nothing behind it has no value that could be hidden.
  const masked = text.replaceAll(/[=:\s]?(?<!\$)\$\{[^}]*\}/g, (whole) => {
    kept.push(whole);
    return `\uE000${kept.length - 1}\uE001`;
  });
  const shown = redact(masked, []).replaceAll("[redacted]", hidden);
  return shown.replaceAll(/\uE000(\d+)\uE001/g, (_mark, index) => kept[Number(index)] ?? "");
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

/** What is before the hidden part, as `API_KEY=***`, else the key of a map. */
function nameFor(path: readonly string[], shown: unknown): string {
  const written =
    typeof shown === "string" ? /([A-Za-z][\w-]*)=\*\*\*/.exec(shown)?.[1] : undefined;
  const key = path.length > 1 ? path.at(-1) : undefined;
  const name = written ?? (key !== undefined && !/^\d+$/.test(key) ? key : "SECRET");
  return name.toUpperCase().replaceAll(/\W/g, "_");
}
