import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

import { AppError } from "../../base/errors.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import type { ElementList } from "./element-list.ts";

/** @throws {AppError} `config`, with line and column, for what is no JSON with comments */
export function parseJsonTree(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (root !== undefined && error === undefined) return root;
  const before = text.slice(0, error?.offset ?? 0).split("\n");
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  throw new AppError(
    "config",
    `is no JSON: ${place}, ${error === undefined ? "there is no value" : printParseErrorCode(error.error)}`,
  );
}

/** The plain value of a node; names are keys of a map without a prototype. */
export function valueOf(node: Node): unknown {
  const children = node.children ?? [];
  if (node.type === "array") return children.map(valueOf);
  if (node.type !== "object") return node.value;
  const value = Object.create(null) as Record<string, unknown>;
  for (const property of children) {
    const [key, inner] = property.children ?? [];
    if (inner !== undefined) value[String(key?.value)] = valueOf(inner);
  }
  return value;
}

/** Names under which files keep their servers (CF9). */
const serverKeys = ["mcpServers", "mcp_servers", "servers", "context_servers"] as const;

/** Where a file has its servers: an object by name, a list of entries with names, or nowhere yet. */
export type ServersHome =
  | { readonly kind: "object"; readonly node: Node; readonly property?: Node }
  | { readonly kind: "list"; readonly node: Node }
  | { readonly kind: "none"; readonly root: Node };

/** @throws {AppError} `config` for a file that holds neither an object nor a list */
export function findServers(root: Node): ServersHome {
  if (root.type === "array") return { kind: "list", node: root };
  if (root.type !== "object") throw new AppError("config", "holds no object and no list");
  const found = serverKeys.flatMap((key) => {
    const property = propertiesNamed(root, key).at(-1);
    const node = property?.children?.[1];
    return property !== undefined && node?.type === "object" ? [{ node, property }] : [];
  });
  const home = found.find(({ node }) => (node.children ?? []).length > 0) ?? found[0];
  if (home !== undefined) return { kind: "object", ...home };
  const value = valueOf(root) as Readonly<Record<string, unknown>>;
  const entries = Object.values(value);
  const isBare = entries.length > 0 && entries.every(isLaunch);
  return isBare ? { kind: "object", node: root } : { kind: "none", root };
}

/** All properties of that name: of duplicates the last counts, and the others would appear when it goes. */
export function propertiesNamed(object: Node, name: string): readonly Node[] {
  return (object.children ?? []).filter((property) => property.children?.[0]?.value === name);
}

function isLaunch(value: unknown): boolean {
  return isObject(value) && ("command" in value || "url" in value);
}

/** The properties of an object, or the elements of an array. */
export function elementsOf(text: string, node: Node): ElementList {
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
