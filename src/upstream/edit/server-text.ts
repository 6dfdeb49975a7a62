import { AppError } from "../../base/errors.ts";
import { isObject, canonicalJson } from "../../base/values.ts";
import { isTomlFile } from "../../config/places.ts";
import {
  entriesOfJson,
  entriesOfToml,
  type RawEntries,
  type Table,
  serverKeys,
  parseJsonc,
  type ParsedText,
  parseToml,
} from "../config/parse-server-file.ts";
import { addToJson, removeFromJson } from "./json-edit.ts";
import { addToToml, removeFromToml } from "./toml-edit.ts";

/** A server's entry as a file writes it. */
export type NewEntry = Table;

/** Edits the text of a file of servers; an empty text is a missing file. */
export interface ServerText {
  /** Raw entries by name, not validated. @throws {AppError} `config` for a text that cannot be parsed */
  entries(text: string): ReadonlyMap<string, unknown>;
  /** @throws {AppError} `config` for a text in which `remove` could not undo the addition byte for byte */
  add(text: string, name: string, entry: NewEntry): string;
  /** Returns the text unchanged when it has no such server. @throws {AppError} `config` */
  remove(text: string, name: string): string;
}

interface Language {
  parse(text: string): ParsedText;
  entriesOf(root: unknown): RawEntries;
  add(text: string, name: string, entry: NewEntry): string;
  remove(text: string, name: string): string;
  /** The first line of a file that scorpiox-code created: such a file is removed with its last server. */
  readonly firstLine?: string;
}

const toml: Language = {
  parse: parseToml,
  entriesOf: entriesOfToml,
  add: addToToml,
  remove: removeFromToml,
  firstLine: "# MCP servers, written by: scorpiox-code mcp add\n",
};

const json: Language = {
  parse: (text) => (text === "" ? { kind: "value", value: {} } : parseJsonc(text).parsed),
  entriesOf: (root) =>
    isObject(root) && Object.keys(root).length === 0
      ? { kind: "entries", entries: [] }
      : entriesOfJson(root),
  add: addToJson,
  remove: removeFromJson,
};

/** The format of a file, by its name: `.toml` is TOML, all else JSON with comments. */
export function serverTextOf(file: string): ServerText {
  return createServerText(isTomlFile(file) ? toml : json);
}

function createServerText(language: Language): ServerText {
  const entries = (text: string): ReadonlyMap<string, unknown> => entriesIn(language, text);
  return {
    entries,
    add(text, name, entry) {
      const before = entries(text);
      const added = language.add(text === "" ? (language.firstLine ?? "") : text, name, entry);
      // Check the result whatever the text looks like: it must parse to the wanted entries, and removal must undo it.
      const wanted = new Map([...before, [name, entry]]);
      const isRight = sameEntries(entriesOrNone(language, added), wanted);
      if (isRight && removed(language, added, name) === text) return added;
      throw new AppError("config", "has a layout to which no server can be added");
    },
    remove(text, name) {
      const wanted = new Map(entries(text));
      if (!wanted.delete(name)) return text;
      const after = removed(language, text, name);
      const isRight = sameEntries(entriesOrNone(language, after), wanted);
      if (isRight && sameRest(language, text, after)) return after;
      throw new AppError("config", "has a layout from which no server can be removed");
    },
  };
}

function removed(language: Language, text: string, name: string): string {
  const after = language.remove(text, name);
  return after === language.firstLine ? "" : after;
}

function entriesIn(language: Language, text: string): ReadonlyMap<string, unknown> {
  const parsed = language.parse(text);
  if (parsed.kind === "fault") {
    const { place } = parsed;
    const where = place === undefined ? "" : `line ${place.line}, column ${place.column}: `;
    throw new AppError("config", `cannot be read: ${where}${parsed.text}`);
  }
  const found = language.entriesOf(parsed.value);
  if (found.kind === "fault") return new Map();
  return new Map(found.entries.map(({ name, value }) => [String(name), value]));
}

function entriesOrNone(language: Language, text: string): ReadonlyMap<string, unknown> | undefined {
  return language.parse(text).kind === "fault" ? undefined : entriesIn(language, text);
}

function sameEntries(
  one: ReadonlyMap<string, unknown> | undefined,
  other: ReadonlyMap<string, unknown>,
): boolean {
  if (one === undefined || one.size !== other.size) return false;
  // In a list, the entry itself contains its name.
  return [...other].every(([name, value]) => {
    const found = one.get(name);
    return sameValue(found, value) || sameValue(found, { name, ...(isObject(value) ? value : {}) });
  });
}

/** Whether everything except servers is the same before and after. */
function sameRest(language: Language, before: string, after: string): boolean {
  const [one, other] = [before, after].map((text) => restOf(language, text));
  return sameValue(one, other);
}

function restOf(language: Language, text: string): unknown {
  const parsed = language.parse(text);
  if (parsed.kind === "fault") return undefined;
  const root = parsed.value;
  if (!isObject(root)) return undefined;
  const entries = language.entriesOf(root);
  const isBareMap =
    entries.kind === "entries" &&
    entries.entries.some(({ value }) => Object.values(root).includes(value));
  return isBareMap ? {} : withoutEmpty(withoutServers(root));
}

function withoutServers(root: Table): NewEntry {
  const rest = Object.entries(root).filter(([key]) => !serverKeys.includes(key));
  return Object.fromEntries(
    rest.map(([key, value]) => [
      key,
      key === "mcp" && isObject(value) ? withoutServers(value) : value,
    ]),
  );
}

/** Removes a table that held nothing but servers. */
function withoutEmpty(root: NewEntry): NewEntry {
  return Object.fromEntries(
    Object.entries(root).filter(
      ([key, value]) => key !== "mcp" || !isObject(value) || Object.keys(value).length > 0,
    ),
  );
}

function sameValue(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}
