import { sha256Hex } from "../../base/digests.ts";
import { unsafeCharacters } from "../../base/unsafe-characters.ts";
import { isObject, canonicalJson } from "../../base/values.ts";
import { quoteValue } from "../../config/problems.ts";
import type { Table } from "./parse-server-file.ts";
import {
  EntryFault,
  type EntryNotes,
  type HttpLaunch,
  type ServerLaunch,
  type StdioLaunch,
  type StringMap,
  type UpstreamConfig,
} from "./server-entry.ts";

const urlKeys = ["url", "serverUrl", "httpUrl"];

/**
 * Reads from an entry how its server is reached (CF8, CF9, CF13).
 * @param mayLack an entry that only switches a server off needs no address
 * @throws EntryFault
 */
export function readLaunch(entry: Table, notes: EntryNotes, mayLack: boolean): ServerLaunch {
  const url = firstUrl(entry);
  const hasCommand = entry["command"] !== undefined;
  if (hasCommand && url !== undefined) throw new EntryFault("has both a command and a url");
  if (!hasCommand && url === undefined) {
    if (mayLack) return { transport: "stdio", command: "", args: [], env: emptyMap() };
    throw new EntryFault("has neither a command nor a url");
  }
  checkType(entry["type"], hasCommand);
  return url === undefined ? readStdio(entry, notes) : readHttp(entry, url, notes);
}

function firstUrl(entry: Table): unknown {
  return urlKeys.map((key) => entry[key]).find((value) => value !== undefined && value !== "");
}

const stdioTypes = ["stdio", "local"];
const httpTypes = ["http", "streamablehttp", "sse", "remote"];

function checkType(type: unknown, hasCommand: boolean): void {
  if (type === undefined) return;
  if (typeof type !== "string") throw new EntryFault("has a type that is not a string");
  const plain = type.toLowerCase().replaceAll(/[-_ ]/g, "");
  if (![...stdioTypes, ...httpTypes].includes(plain)) {
    throw new EntryFault(
      `has an unknown type ${quoteValue(type)}: it must be one of stdio, http, streamable-http, sse`,
    );
  }
  if (stdioTypes.includes(plain) !== hasCommand) {
    throw new EntryFault(`has type ${quoteValue(type)} and a ${hasCommand ? "command" : "url"}`);
  }
}

function readStdio(entry: Table, notes: EntryNotes): StdioLaunch {
  const words = commandWords(entry["command"]);
  const command = cleanText(words[0] ?? "", "its command", notes);
  if (command === "") throw new EntryFault("has an empty command");
  const args = [...words.slice(1), ...readStrings(entry["args"] ?? [], "args")];
  const env = readMap(entry["env"], "env", notes);
  for (const name of Object.keys(env)) {
    if (!/^[^=\s\p{Cc}]+$/u.test(name)) throw new EntryFault("has an invalid env name");
  }
  for (const text of [command, ...args, ...Object.values(env)]) {
    if (text.includes("\0")) throw new EntryFault("has a NUL character in its command or env");
  }
  const cwd = entry["cwd"];
  if (cwd === undefined) return { transport: "stdio", command, args, env };
  if (typeof cwd !== "string" || cwd.includes("\0"))
    throw new EntryFault("has a cwd that is not a path");
  return { transport: "stdio", command, args, env, cwd };
}

/** Some clients write the program and its arguments as one list. */
function commandWords(command: unknown): readonly string[] {
  return typeof command === "string" ? [command] : readStrings(command, "command");
}

function readHttp(entry: Table, written: unknown, notes: EntryNotes): HttpLaunch {
  if (typeof written !== "string") throw new EntryFault("has a url that is not a string");
  const url = cleanText(written, "its url", notes);
  // A url with a reference is checked when it is filled in.
  if (!url.includes("${")) checkUrl(url);
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(readMap(entry["headers"], "headers", notes))) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
      throw new EntryFault("has an invalid header name");
    headers[name] = cleanText(value, `its header ${shown(name)}`, notes);
    if (/[\r\n\0]/.test(headers[name]))
      throw new EntryFault(`has a line break in header ${shown(name)}`);
  }
  return { transport: "http", url, headers };
}

/** @throws EntryFault unless it is a complete `http:` or `https:` URL */
export function checkUrl(text: string): void {
  const url = URL.parse(text);
  if (url === null) throw new EntryFault("has an invalid url");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new EntryFault(`has a url with ${url.protocol}; only http: and https: are possible`);
  }
}

/** @throws EntryFault unless it is a list of strings */
export function readStrings(value: unknown, what: string): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw new EntryFault(`needs a list of strings in ${what}`);
}

function readMap(value: unknown, what: string, notes: EntryNotes): StringMap {
  const map = emptyMap();
  if (value === undefined || value === null) return map;
  if (!isObject(value)) throw new EntryFault(`needs a table of strings in ${what}`);
  for (const [name, item] of Object.entries(value)) {
    if (typeof item === "number" || typeof item === "boolean") {
      notes.warn(`${what}.${shown(name)} is not a string; it is used as one.`);
    } else if (typeof item !== "string") {
      throw new EntryFault(`needs a string in ${what}.${shown(name)}`);
    }
    map[name] = String(item);
  }
  return map;
}

/** Names come from the file: they may have any length and any characters. */
function shown(name: string): string {
  return quoteValue(name).slice(1, -1);
}

function emptyMap(): Record<string, string> {
  return Object.create(null);
}

/**
 * `text` without surrounding blanks and without invisible characters, which get into text that is copied from a page or
 * a chat (CF13). `what` names the text in the warning.
 */
function cleanText(text: string, what: string, notes: EntryNotes): string {
  const visible = text.replaceAll(unsafeCharacters, "").replaceAll(/\u00ad/g, "");
  const cleaned = visible.trim();
  if (cleaned !== text) {
    const found = visible === text ? "blanks around it" : "invisible characters";
    notes.warn(`${what} had ${found}, which were removed.`);
  }
  return cleaned;
}

/**
 * The identity of a launch, to which approvals, caches and shared connections belong: SHA-256 in hex of the canonical
 * JSON of the launch before expansion, so that a replaced secret does not change it.
 */
export function launchIdentity(launch: ServerLaunch): string {
  return sha256Hex(canonicalLaunch(launch));
}

function canonicalLaunch(launch: ServerLaunch): string {
  if (launch.transport === "http") {
    const { transport, url, headers } = launch;
    return canonicalJson({ transport, url, headers });
  }
  const { transport, command, args, env, cwd } = launch;
  return canonicalJson({ transport, command, args, env, cwd });
}

/** Equal for configurations with the same servers. */
export function configFace(config: UpstreamConfig | undefined): string {
  return JSON.stringify([...(config?.servers ?? [])].map(([name, { entry }]) => [name, entry]));
}
