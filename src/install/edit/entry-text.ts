import { extname } from "node:path";
import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/values.ts";
import { byteOrderMark } from "../../config/env-file.ts";
import { setMemberInJson, addToJson, removeFromJson } from "../../upstream/edit/json-edit.ts";
import { setMemberInToml, addToToml, removeFromToml } from "../../upstream/edit/toml-edit.ts";
import { parseForeignText } from "../../upstream/import/read-foreign-file.ts";
import type { Entry, EntryHome } from "../install-targets.ts";
import { setInYaml, setYamlMember } from "./yaml-entry.ts";

/**
 * The text of a client's file with `entry` as its server `name`, or without that server when `entry` is undefined. All else
 * stays as it is: comments, order, line ends. An empty text is a missing file.
 * @throws {AppError} `config` for a text that cannot be parsed, or in which that change cannot be made; it completes "FILE "
 */
export function setEntry(
  file: string,
  text: string,
  home: EntryHome,
  name: string,
  entry: Entry | undefined,
): string {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const body = text.slice(mark.length);
  const before = rootOf(file, body);
  // Whatever the text looks like: the result must parse, have the entry, and be the same otherwise.
  const isRight = (edited: string): boolean => {
    const after = rootOf(file, edited);
    return (
      sameValue(entryIn(after, home, name), entry) &&
      sameValue(without(before, home, name), without(after, home, name))
    );
  };
  const altered = alteredMembers(file, body, home, name, entry, entryIn(before, home, name));
  if (altered !== undefined && orFalse(() => isRight(altered))) return mark + altered;
  const edited = languageOf(file).set(body, home, name, entry);
  if (isRight(edited)) return mark + edited;
  throw new AppError("config", "has a layout in which this change cannot be made");
}

/** An entry that is there already keeps its place, its comments and its other members. Undefined where that is not possible. */
function alteredMembers(
  file: string,
  body: string,
  home: EntryHome,
  name: string,
  entry: Entry | undefined,
  old: unknown,
): string | undefined {
  if (entry === undefined || !isObject(old)) return undefined;
  const names = new Set([...Object.keys(old), ...Object.keys(entry)]);
  const changed = [...names].filter((key) => !sameValue(old[key], entry[key]));
  const { setMember } = languageOf(file);
  try {
    return changed.reduce((text, key) => setMember(text, home, name, key, entry[key]), body);
  } catch (error) {
    if (error instanceof AppError && error.code === "config") return undefined;
    throw error;
  }
}

function orFalse(work: () => boolean): boolean {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError && error.code === "config") return false;
    throw error;
  }
}

/** The entry of server `name`; undefined where there is none. @throws {AppError} `config` as `setEntry` */
export function readEntry(
  file: string,
  text: string,
  home: EntryHome,
  name: string,
): Entry | undefined {
  const found = entryIn(
    rootOf(file, text.startsWith(byteOrderMark) ? text.slice(1) : text),
    home,
    name,
  );
  return isObject(found) ? found : undefined;
}

/** All servers, as the file has them. @throws {AppError} `config` as `setEntry` */
export function readServers(file: string, text: string, { path }: EntryHome): unknown {
  return valueAt(rootOf(file, text.startsWith(byteOrderMark) ? text.slice(1) : text), path);
}

interface Language {
  set(this: void, text: string, home: EntryHome, name: string, entry: Entry | undefined): string;
  setMember(
    this: void,
    text: string,
    home: EntryHome,
    name: string,
    member: string,
    value: unknown,
  ): string;
}

function languageOf(file: string): Language {
  switch (extname(file).toLowerCase()) {
    case ".toml":
      return {
        set: setInToml,
        setMember: (text, { path }, name, member, value) =>
          setMemberInToml(text, [...path, name], member, value),
      };
    case ".yaml":
    case ".yml":
      return { set: setInYaml, setMember: setYamlMember };
    default:
      return {
        set: setInJson,
        setMember: (text, { path }, name, member, value) =>
          setMemberInJson(text, [...path, name], member, value),
      };
  }
}

function rootOf(file: string, text: string): unknown {
  if (text.trim() === "") return {};
  const parsed = parseForeignText(file, text);
  if (parsed.kind === "value") return parsed.value ?? {};
  const { place } = parsed;
  const where = place === undefined ? "" : `line ${place.line}, column ${place.column}: `;
  throw new AppError("config", `cannot be read: ${where}${parsed.text}`);
}

/** The value at `path`; undefined where the path ends earlier. */
function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    root,
  );
}

function entryIn(root: unknown, { kind, path }: EntryHome, name: string): unknown {
  if (kind === "map") return valueAt(root, [...path, name]);
  const list = valueAt(root, path);
  return Array.isArray(list)
    ? list.find((item) => isObject(item) && item["name"] === name)
    : undefined;
}

/** The value without that server, and without what holds nothing besides: a change may have to make or leave it. */
function without(root: unknown, { kind, path }: EntryHome, name: string): unknown {
  const trim = (value: unknown, depth: number): unknown => {
    if (depth === path.length && kind === "list") {
      const items = Array.isArray(value) ? value : [];
      return emptyAsNothing(items.filter((item) => !isObject(item) || item["name"] !== name));
    }
    if (!isObject(value)) return depth === 0 ? {} : (value ?? undefined);
    const key = depth === path.length ? name : path[depth];
    const rest = Object.entries(value).flatMap(([at, inner]): [string, unknown][] => {
      if (at !== key) return [[at, inner]];
      const left = depth === path.length ? undefined : trim(inner, depth + 1);
      return left === undefined ? [] : [[at, left]];
    });
    return depth === 0 ? Object.fromEntries(rest) : emptyAsNothing(Object.fromEntries(rest));
  };
  return trim(root, 0);
}

function emptyAsNothing(value: object): unknown {
  return Object.keys(value).length === 0 ? undefined : value;
}

function sameValue(one: unknown, other: unknown): boolean {
  return Bun.deepEquals(one, other);
}

/** Sets or removes an entry in JSON, comments allowed; see `setEntry`. */
function setInJson(
  text: string,
  { path: [key] }: EntryHome,
  name: string,
  entry: Entry | undefined,
): string {
  if (text.trim() === "" && entry !== undefined) return created(key ?? "", name, entry);
  const rest = text.trim() === "" ? "" : removeFromJson(text, name, key);
  return entry === undefined ? rest : addToJson(rest, name, entry, key);
}

/** A whole file, as people write one. */
function created(key: string, name: string, entry: Entry): string {
  return `${JSON.stringify({ [key]: { [name]: entry } }, undefined, 2)}\n`;
}

/** Sets or removes a table in TOML; see `setEntry`. */
function setInToml(
  text: string,
  { path }: EntryHome,
  name: string,
  entry: Entry | undefined,
): string {
  const rest = removeFromToml(text, name, path);
  return entry === undefined ? rest : addToToml(rest, name, entry, path);
}
