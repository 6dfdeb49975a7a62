import { jsonDepthMax } from "../../base/upstream-limits.ts";
import { isObject, likeOriginal } from "../../base/values.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { CallToolResult, ContentBlock } from "../../protocol/tool-types.ts";
import type { ConnectionReply, ConnectionRequest } from "../connect/connection.ts";
import type { UpstreamCallEvents } from "../upstreams.ts";

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

/**
 * Rewrites URIs of upstream servers to scorpiox-code's own, which contain the server's name, so that clients can read
 * them here (RP2).
 */

const mcpPrefix = "scorpiox://mcp/";
const uiPrefix = "ui://";
const uiHostEnd = ".scorpiox";
const skillPrefix = "skill://";

/** A resource of an upstream server, with its URI there. */
interface ForeignUri {
  readonly server: string;
  readonly uri: string;
}

/**
 * scorpiox-code's URI for `uri`, a URI or template of `server`. `ui://` and `skill://` keep their schemes, which
 * clients recognize.
 * @param server its configured name, which has no `/`
 */
export function ownUri(server: string, uri: string): string {
  if (uri.startsWith(uiPrefix)) {
    return `${uiPrefix}${server}${uiHostEnd}/${uri.slice(uiPrefix.length)}`;
  }
  if (uri.startsWith(skillPrefix))
    return `${skillPrefix}${server}/${uri.slice(skillPrefix.length)}`;
  return `${mcpPrefix}${server}/${uri}`;
}

/**
 * The inverse of `ownUri`; undefined for a URI that it cannot have made. Does not check that the server exists:
 * `skill://` also names scorpiox-code's own skills.
 */
export function readForeignUri(uri: string): ForeignUri | undefined {
  if (uri.startsWith(mcpPrefix)) return split(uri.slice(mcpPrefix.length), "");
  if (uri.startsWith(skillPrefix)) return split(uri.slice(skillPrefix.length), skillPrefix);
  if (!uri.startsWith(uiPrefix)) return undefined;
  const found = split(uri.slice(uiPrefix.length), uiPrefix);
  if (found === undefined || !found.server.endsWith(uiHostEnd)) return undefined;
  const server = found.server.slice(0, -uiHostEnd.length);
  return server === "" ? undefined : { server, uri: found.uri };
}

function split(rest: string, scheme: string): ForeignUri | undefined {
  const slash = rest.indexOf("/");
  if (slash <= 0) return undefined;
  return { server: rest.slice(0, slash), uri: scheme + rest.slice(slash + 1) };
}

/**
 * A copy of a JSON value with `map` applied to all its strings and member names. Parts that are nested deeper than any
 * honest value are left out.
 */
function mapStrings(value: unknown, map: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) {
    if (depth >= jsonDepthMax) return [];
    return value.map((part: unknown) => mapStrings(part, map, depth + 1));
  }
  if (!isObject(value)) return value;
  if (depth >= jsonDepthMax) return {};
  // `fromEntries` makes an own member of `__proto__` too.
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [map(name), mapStrings(part, map, depth + 1)]),
  );
}

/** The cleaning of all answers of one server. */
export interface Cleaning {
  readonly server: string;
  /** Removes control sequences and secrets from a text. */
  readonly clean: (text: string) => string;
}

/** The result with clean texts, and with scorpiox-code's URIs for the server's resources (CA15, RP2, CF16). */
export function cleanCallResult(result: CallToolResult, cleaning: Cleaning): CallToolResult {
  const { structuredContent, _meta: meta } = result;
  return {
    content: result.content.map((block) => cleanBlock(block, cleaning)),
    isError: result.isError,
    ...(structuredContent === undefined
      ? {}
      : { structuredContent: mapStrings(structuredContent, cleaning.clean) }),
    ...(meta === undefined ? {} : { _meta: cleanMeta(meta, cleaning) }),
  };
}

/** Cleans one block of a result or prompt, except base64 data. */
export function cleanBlock(block: ContentBlock, cleaning: Cleaning): ContentBlock {
  switch (block.type) {
    case "image":
    case "audio":
      return { ...cleanMembers(block, cleaning), data: block.data };
    case "resource_link": {
      const link = cleanMembers(block, cleaning);
      return { ...link, uri: ownUri(cleaning.server, link.uri) };
    }
    case "resource":
      return {
        ...cleanMembers(block, cleaning),
        resource: cleanContents(block.resource, cleaning),
      };
    case "text":
      return cleanMembers(block, cleaning);
  }
}

/** Cleans the contents of a resource, embedded in a result or from `resources/read`. */
export function cleanContents<
  Contents extends { readonly uri: string; readonly blob?: string; readonly _meta?: unknown },
>(contents: Contents, cleaning: Cleaning): Contents {
  const { blob, ...rest } = contents;
  const cleaned = likeOriginal(contents, cleanMembers(rest, cleaning));
  const uri = ownUri(cleaning.server, cleaned.uri);
  return { ...cleaned, uri, ...(blob === undefined ? {} : { blob }) };
}

/** Keys for the page of an app besides `ui.resourceUri`: of the first revisions of MCP Apps, and of OpenAI. */
const pageKeys = ["ui/resourceUri", "openai/outputTemplate"] as const;

/** Cleans `_meta` of a result, tool or resource, and rewrites the page of an app in it. */
export function cleanMeta(meta: Params, cleaning: Cleaning): Params {
  const cleaned = likeOriginal(meta, mapStrings(meta, cleaning.clean));
  const { ui } = cleaned;
  const rewritten = (uri: unknown): unknown =>
    typeof uri === "string" ? ownUri(cleaning.server, uri) : uri;
  const pages = pageKeys
    .filter((key) => key in cleaned)
    .map((key) => [key, rewritten(cleaned[key])] as const);
  return {
    ...cleaned,
    ...(isObject(ui) && "resourceUri" in ui
      ? { ui: { ...ui, resourceUri: rewritten(ui.resourceUri) } }
      : {}),
    ...Object.fromEntries(pages),
  };
}

function cleanMembers<Block extends { readonly _meta?: unknown; readonly data?: unknown }>(
  block: Block,
  cleaning: Cleaning,
): Block {
  const { _meta: meta, data: _data, ...rest } = block;
  return {
    ...likeOriginal(block, mapStrings(rest, cleaning.clean)),
    ...(isObject(meta) ? { _meta: cleanMeta(meta, cleaning) } : {}),
  };
}

/** A reply other than a result. */
type Asked = Exclude<ConnectionReply, { kind: "result" }>;

/** The events of a call, with control sequences and secrets removed. */
export function cleanEvents(
  events: UpstreamCallEvents,
  clean: (text: string) => string,
  wantsProgress: boolean,
): Pick<ConnectionRequest, "ask" | "onLog" | "onProgress"> {
  return {
    ask: (request) => events.ask(likeOriginal(request, mapStrings(request, clean))),
    onLog: (level, data, logger) => {
      const name = logger === undefined ? undefined : clean(logger);
      events.log?.(level, mapStrings(data, clean), name);
    },
    ...(wantsProgress
      ? {
          onProgress: (done, total, message) => {
            events.onProgress?.(done, total, message === undefined ? undefined : clean(message));
          },
        }
      : {}),
  };
}

/** Cleans an error or questions; the ids of questions and the state return to the server unchanged. */
export function cleanReply(reply: Asked, clean: (text: string) => string): Asked {
  if (reply.kind === "fault") {
    const { code, message, data } = reply.fault;
    const more = data === undefined ? {} : { data: mapStrings(data, clean) };
    return { kind: "fault", fault: { code, message: clean(message), ...more } };
  }
  const requests = Object.entries(reply.requests).map(
    ([id, request]) => [id, likeOriginal(request, mapStrings(request, clean))] as const,
  );
  return { ...reply, requests: Object.fromEntries(requests) };
}
