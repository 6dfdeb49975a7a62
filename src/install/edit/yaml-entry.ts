import {
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";

import { AppError } from "../../base/errors.ts";
import {
  applyEdits,
  lineEndOf,
  lineStartOf,
  nextLineOf,
  removal,
  type TextEdit,
} from "../../upstream/edit/text-edit.ts";
import type { Entry, EntryHome } from "../install-targets.ts";

/**
 * Sets or removes an entry in YAML. Whole lines are added and removed at places that the parser names, so that no other line is
 * written again. A list or map on one line is left alone unless it is empty; see `setEntry`.
 */
export function setInYaml(
  text: string,
  home: EntryHome,
  name: string,
  entry: Entry | undefined,
): string {
  const rest = removed(text, home, name);
  return entry === undefined ? rest : added(rest, home, name, entry);
}

/** Sets or removes one member of an entry that has a line for each; see `setEntry`. */
export function setYamlMember(
  text: string,
  home: EntryHome,
  name: string,
  member: string,
  value: unknown,
): string {
  const all = homePair(text, home)?.value;
  const entry = isCollection(all) ? entryNode(all, home, name) : undefined;
  const [first] = entry?.items ?? [];
  if (entry === undefined || first === undefined || entry.flow === true) return text;
  const found = entry.items.find(({ key }) => isScalar(key) && key.value === member);
  if (found === undefined) {
    const start = startOf(first.key);
    const indent = " ".repeat(start - lineStartOf(text, start));
    const line = `${indent}${plainKey(member)}: ${scalar(value)}${lineEndOf(text)}`;
    return value === undefined ? text : insertedAfter(text, endOf(entry), line);
  }
  const [start, end] = [startOf(found.key), endOf(found)];
  if (value === undefined) {
    const to = nextLineOf(text, Math.max(start, end - 1));
    return applyEdits(text, [removal(lineStartOf(text, start), to)]);
  }
  return applyEdits(text, [{ start: startOf(found.value), end, text: scalar(value) }]);
}

function entryNode(all: Collection, { kind }: EntryHome, name: string): YAMLMap | undefined {
  const node =
    kind === "map" && isMap(all)
      ? all.items.find(({ key }) => isScalar(key) && key.value === name)?.value
      : all.items.find((item) => isMap(item) && item.get("name") === name);
  return isMap(node) ? node : undefined;
}

type Collection = YAMLMap | YAMLSeq;

/** The pair of the home's only key in the document. */
function homePair(text: string, { path: [key] }: EntryHome): Pair | undefined {
  const { contents } = parseDocument(text);
  if (!isMap(contents)) return undefined;
  return contents.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function added(text: string, { kind, path }: EntryHome, name: string, entry: Entry): string {
  const [key = ""] = path;
  const end = lineEndOf(text);
  const pair = homePair(text, { kind, path });
  const block = (indent: string): string => linesOf(kind, name, entry, indent).join(end) + end;
  if (pair === undefined) {
    const gap = text === "" || text.endsWith("\n") ? "" : end;
    return `${text}${gap}${key}:${end}${block("  ")}`;
  }
  const { value } = pair;
  if (isCollection(value) && value.flow !== true && value.items.length > 0) {
    const indent = indentOf(text, startOf(value));
    return insertedAfter(text, endOf(value), block(indent));
  }
  const isEmpty = isCollection(value)
    ? value.items.length === 0
    : isScalar(value) && value.value === null;
  if (!isEmpty && value !== null) throw tooDense(key);
  const keyEnd = endOf(pair.key);
  const at = text.indexOf(":", keyEnd) + 1;
  const edits: TextEdit[] = isCollection(value) ? [removal(at, endOf(value))] : [];
  const cleared = applyEdits(text, edits);
  return insertedAfter(cleared, at, block("  "), end);
}

function removed(text: string, home: EntryHome, name: string): string {
  const value = homePair(text, home)?.value;
  if (!isCollection(value)) return text;
  const item = itemNamed(value, home, name);
  if (item === undefined) return text;
  if (value.flow === true) throw tooDense(home.path[0] ?? "");
  const [start, end] = item;
  const from = lineStartOf(text, start);
  const to = nextLineOf(text, Math.max(start, end - 1));
  const cut = applyEdits(text, [removal(from, to)]);
  if (value.items.length > 1) return cut;
  // The key alone would not be a map any more.
  const key = homePair(text, home)?.key;
  const at = text.indexOf(":", endOf(key)) + 1;
  return applyEdits(cut, [{ start: at, end: at, text: home.kind === "list" ? " []" : " {}" }]);
}

/** Offsets of the whole item. */
function itemNamed(
  value: Collection,
  { kind }: EntryHome,
  name: string,
): readonly [number, number] | undefined {
  if (kind === "map" && isMap(value)) {
    const pair = value.items.find(({ key }) => isScalar(key) && key.value === name);
    if (pair === undefined) return undefined;
    return [startOf(pair.key), endOf(pair.value ?? pair.key)];
  }
  if (kind !== "list" || !isSeq(value)) return undefined;
  const item = value.items.find((one) => isMap(one) && one.get("name") === name);
  return isMap(item) ? [startOf(item), endOf(item)] : undefined;
}

function isCollection(value: unknown): value is Collection {
  return isMap(value) || isSeq(value);
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** The end of its value, without the comments and blank lines that follow. */
function endOf(node: unknown): number {
  if (isPair(node)) return endOf(node.value ?? node.key);
  if (!isNode(node)) return 0;
  const last = isCollection(node) && node.flow !== true ? node.items.at(-1) : undefined;
  return last === undefined ? (node.range?.[1] ?? 0) : endOf(last);
}

/** The white space, and for a list nothing else, that its items begin with. */
function indentOf(text: string, at: number): string {
  return text.slice(lineStartOf(text, at), at);
}

function insertedAfter(
  text: string,
  at: number,
  lines: string,
  end: string = lineEndOf(text),
): string {
  const next = nextLineOf(text, Math.max(0, at - (text[at - 1] === "\n" ? 1 : 0)));
  const isOpen = next === text.length && !text.endsWith("\n");
  const added = isOpen ? end + lines.slice(0, -end.length) : lines;
  return text.slice(0, next) + added + text.slice(next);
}

function linesOf(kind: EntryHome["kind"], name: string, entry: Entry, indent: string): string[] {
  const fields = Object.entries(entry).map(([key, value]) => `${plainKey(key)}: ${scalar(value)}`);
  if (kind === "map")
    return [`${indent}${plainKey(name)}:`, ...fields.map((field) => `${indent}  ${field}`)];
  return fields.map((field, index) => `${indent}${index === 0 ? "- " : "  "}${field}`);
}

/** Quoted where YAML would read something else than this text. */
function plainKey(name: string): string {
  const isPlain =
    /^[A-Za-z_][\w-]*$/.test(name) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(name);
  return isPlain ? name : JSON.stringify(name);
}

/** JSON is YAML: quoted texts, and lists and maps on one line. */
function scalar(value: unknown): string {
  return Array.isArray(value)
    ? `[${value.map((item) => JSON.stringify(item)).join(", ")}]`
    : JSON.stringify(value);
}

function tooDense(key: string): AppError {
  return new AppError("config", `has ${key} on one line, which cannot be edited in place`);
}
