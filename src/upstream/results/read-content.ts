import { isObject } from "../../base/values.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { ContentBlock } from "../../protocol/tool-types.ts";

/** A valid block, or its fault, which follows its place in a message: `content[2] …`. */
export type ReadBlock =
  | { readonly kind: "block"; readonly block: ContentBlock }
  | { readonly kind: "bad"; readonly reason: string };

/** Checks one block of content of an upstream server. Unknown members are kept (RP6). */
export function readBlock(value: unknown): ReadBlock {
  if (!isObject(value)) return bad("is not an object");
  if (isBlock(value)) return { kind: "block", block: value };
  return bad(faultOf(value) ?? unknownType(value.type));
}

function faultOf(value: Params): string | undefined {
  return isKnown(value.type) ? checks[value.type](value) : unknownType(value.type);
}

function isBlock(value: Params): value is Params & ContentBlock {
  // Each check covers the required members of its type.
  return faultOf(value) === undefined;
}

const checks: Readonly<Record<ContentBlock["type"], (block: Params) => string | undefined>> = {
  text: ({ text }) => (typeof text === "string" ? undefined : "is text without a text"),
  image: ({ data, mimeType }) => checkData("an image", data, mimeType),
  audio: ({ data, mimeType }) => checkData("audio", data, mimeType),
  resource_link: ({ uri, name }) =>
    typeof uri === "string" && typeof name === "string"
      ? undefined
      : "is a link without uri and name",
  resource: ({ resource }) => checkResource(resource),
};

function isKnown(type: unknown): type is ContentBlock["type"] {
  return typeof type === "string" && Object.hasOwn(checks, type);
}

function unknownType(type: unknown): string {
  return `has the unknown type ${(JSON.stringify(type) ?? "undefined").slice(0, 60)}`;
}

function checkData(what: string, data: unknown, mimeType: unknown): string | undefined {
  const isWhole = typeof data === "string" && typeof mimeType === "string";
  return isWhole ? undefined : `is ${what} without data and mimeType`;
}

function checkResource(resource: unknown): string | undefined {
  if (!isObject(resource) || typeof resource.uri !== "string") return "is a resource without a uri";
  const hasContent = typeof resource.text === "string" || typeof resource.blob === "string";
  return hasContent ? undefined : "is a resource without text or blob";
}

function bad(reason: string): ReadBlock {
  return { kind: "bad", reason };
}

/** An answer of an upstream server that a client cannot get; the message explains why to a person. */
export class UnusableAnswer extends Error {
  override readonly name = "UnusableAnswer";

  constructor(
    readonly reason: "malformed" | "too_large",
    message: string,
  ) {
    super(message);
  }
}
