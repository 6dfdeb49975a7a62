import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
} from "jsonc-parser";

import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/values.ts";
import { byteOrderMark } from "../../config/env-file.ts";
import { serverKeys, type Table } from "../config/parse-server-file.ts";
import {
  appendElement,
  applyEdits,
  editPassesMax,
  type ElementList,
  lineEndOf,
  lineStartOf,
  removeElement,
  type TextEdit,
  tooOften,
} from "./text-edit.ts";

/** The key that gets the servers in a file that has none. */
const usualKey = "mcpServers";
/** The text of a missing file. */
const nothing = "";

/**
 * `text` with the server after the others; `removeFromJson` restores every byte. The text must not have the server yet;
 * an empty text is a missing file.
 * @throws {AppError} `config` for a text that is not JSON with comments
 */
export function addToJson(text: string, name: string, entry: Table, key?: string): string {
  if (text === nothing)
    return `${ownBraces(keyed(key ?? usualKey, ownBraces(keyed(name, print(entry)))))}\n`;
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const body = text.slice(mark.length);
  const home = findServers(parseJsonTree(body), key);
  const node = home.kind === "none" ? home.root : home.node;
  const layout = layoutOf(body, node);
  const element = elementOf(home.kind, name, entry, layout.indent, key);
  const edits = appendElement(body, elementsOf(body, node), {
    text: element.replaceAll("\n", lineEndOf(body) + layout.base),
    separator: layout.isOnOwnLine ? lineEndOf(body) + layout.base : " ",
    isOnOwnLine: layout.isOnOwnLine,
  });
  return mark + applyEdits(body, edits);
}

/**
 * `text` without the server; empty when `addToJson` created the whole file.
 * @throws {AppError} `config` for a text that is not JSON with comments
 */
export function removeFromJson(text: string, name: string, key?: string): string {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  let body = text.slice(mark.length);
  for (let left = editPassesMax; left > 0; left--) {
    const root = parseJsonTree(body);
    const edits = removals(body, findServers(root, key), root, name);
    if (edits === undefined) return mark + body;
    if (edits === "all") return nothing;
    body = applyEdits(body, edits);
  }
  throw tooOften(name);
}

/**
 * `text` with another value of one member of the object at `path`, or without it; the rest of the object stays as it is.
 * Unchanged when there is no such object.
 */
export function setMemberInJson(
  text: string,
  path: readonly string[],
  name: string,
  value: unknown,
): string {
  const object = findNodeAtLocation(parseJsonTree(text), [...path]);
  if (object?.type !== "object") return text;
  const property = propertiesNamed(object, name).at(-1);
  const old = property?.children?.[1];
  const elements = elementsOf(text, object);
  if (property === undefined || old === undefined) {
    const { isOnOwnLine, base } = layoutOf(text, object);
    const separator = isOnOwnLine ? lineEndOf(text) + base : " ";
    const added = { text: keyed(name, JSON.stringify(value)), separator, isOnOwnLine };
    return value === undefined ? text : applyEdits(text, appendElement(text, elements, added));
  }
  const index = (object.children ?? []).indexOf(property);
  if (value === undefined) return applyEdits(text, removeElement(text, elements, index));
  const end = old.offset + old.length;
  return applyEdits(text, [{ start: old.offset, end, text: JSON.stringify(value) }]);
}

function elementOf(
  kind: string,
  name: string,
  entry: Table,
  indent: string,
  key = usualKey,
): string {
  if (kind === "list") return print({ name, ...entry }, indent);
  const property = keyed(name, print(entry, indent));
  return kind === "none" ? keyed(key, ownBraces(property)) : property;
}

/**
 * One blank after the opening brace, none before the closing one. Nobody writes so by hand: it marks an object that
 * scorpiox-code created and removes with its last server.
 */
function ownBraces(property: string): string {
  return `{ ${property}}`;
}

function keyed(name: string, text: string): string {
  return `${JSON.stringify(name)}: ${text}`;
}

function print(entry: Table, indent = "  "): string {
  return JSON.stringify(entry, undefined, indent);
}

function removals(
  body: string,
  home: ServersHome,
  root: Node,
  name: string,
): readonly TextEdit[] | "all" | undefined {
  if (home.kind === "none") return undefined;
  const { node } = home;
  const index = (node.children ?? []).findIndex((child) =>
    home.kind === "list" ? isNamed(child, name) : propertiesNamed(node, name).includes(child),
  );
  if (index === -1) return undefined;
  const property = home.kind === "object" ? home.property : undefined;
  if (property === undefined || !isOwn(body, node)) {
    return removeElement(body, elementsOf(body, node), index);
  }
  if (isOwn(body, root) && body.trimEnd() === body.slice(root.offset, root.offset + root.length)) {
    return "all";
  }
  return removeElement(body, elementsOf(body, root), (root.children ?? []).indexOf(property));
}

function isNamed(child: Node, name: string): boolean {
  const value: unknown = getNodeValue(child);
  return isObject(value) && value.name === name;
}

/** Whether `ownBraces` wrote it, and it has one property. */
function isOwn(body: string, { offset, length, children = [] }: Node): boolean {
  const [only, ...others] = children;
  if (only === undefined || others.length > 0) return false;
  return (
    only.offset === offset + 2 &&
    body[offset + 1] === " " &&
    only.offset + only.length === offset + length - 1
  );
}

interface Layout {
  readonly isOnOwnLine: boolean;
  /** The indentation of each element. */
  readonly base: string;
  /** The indentation added for each level. */
  readonly indent: string;
}

/** The layout of the existing elements, else of the line in which the object begins. */
function layoutOf(body: string, node: Node): Layout {
  const outer = indentOf(body, node.offset);
  const last = node.children?.at(-1);
  const inner = body.slice(node.offset + 1, last?.offset ?? node.offset + node.length - 1);
  const isOnOwnLine = inner.includes("\n") || (last === undefined && inner !== "");
  const indent = unitOf(body);
  if (!isOnOwnLine) return { isOnOwnLine, base: outer, indent };
  const base = last === undefined ? outer + indent : indentOf(body, last.offset);
  return { isOnOwnLine, base, indent };
}

function indentOf(body: string, at: number): string {
  return /^[ \t]*/.exec(body.slice(lineStartOf(body, at), at))?.[0] ?? "";
}

/** The first indentation of the text, taken as that of one level. */
function unitOf(body: string): string {
  return /\n([ \t]+)\S/.exec(body)?.[1] ?? "  ";
}

/** The tree of a text that `ServerText` has parsed. @throws {AppError} `config` when it is not JSON with comments */
function parseJsonTree(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (root !== undefined && errors.length === 0) return root;
  throw new AppError("config", "has a layout that cannot be edited");
}

/** Where a file has its servers: an object by name, a list of entries with names, or nowhere yet. */
type ServersHome =
  | { readonly kind: "object"; readonly node: Node; readonly property?: Node }
  | { readonly kind: "list"; readonly node: Node }
  | { readonly kind: "none"; readonly root: Node };

/**
 * @param key the only one that may have them; absent: any of `serverKeys`, or the file itself
 * @throws {AppError} `config` for a file that holds neither an object nor a list
 */
function findServers(root: Node, key?: string): ServersHome {
  if (root.type === "array" && key === undefined) return { kind: "list", node: root };
  if (root.type !== "object") throw new AppError("config", "must hold an object or a list");
  const found = (key === undefined ? serverKeys : [key]).flatMap((one) => {
    const property = propertiesNamed(root, one).at(-1);
    const node = property?.children?.[1];
    return property !== undefined && node?.type === "object" ? [{ node, property }] : [];
  });
  const home = found.find(({ node }) => (node.children ?? []).length > 0) ?? found[0];
  if (home !== undefined) return { kind: "object", ...home };
  if (key !== undefined) return { kind: "none", root };
  const entries = Object.values(getNodeValue(root));
  const isBare = entries.length > 0 && entries.every(isLaunch);
  return isBare ? { kind: "object", node: root } : { kind: "none", root };
}

/** All properties of that name: parsers use the last duplicate, so removing only that one would uncover the others. */
function propertiesNamed(object: Node, name: string): readonly Node[] {
  return (object.children ?? []).filter((property) => property.children?.[0]?.value === name);
}

function isLaunch(value: unknown): boolean {
  return isObject(value) && ("command" in value || "url" in value);
}

/** The properties of an object, or the elements of an array. */
function elementsOf(text: string, node: Node): ElementList {
  const elements = (node.children ?? []).map(({ offset, length }) => {
    const end = offset + length;
    const comma = commaAfter(text, end);
    return { start: offset, end, ...(comma === undefined ? {} : { comma }) };
  });
  return { open: node.offset + 1, close: node.offset + node.length - 1, elements };
}

function commaAfter(text: string, at: number): number | undefined {
  const trivia = /(?:\s+|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
  trivia.lastIndex = at;
  trivia.test(text);
  const end = Math.max(at, trivia.lastIndex);
  return text[end] === "," ? end : undefined;
}
