import { isObject, type Params } from "../../protocol/json-rpc.ts";
import type { CallToolResult, ContentBlock } from "../../protocol/tool-types.ts";
import { mapStrings } from "./map-strings.ts";
import { ownUri } from "./own-uris.ts";

/** What is done to everything that comes from one server. */
export interface Cleaning {
  readonly server: string;
  /** Takes control sequences and secrets out of a text. */
  readonly clean: (text: string) => string;
}

/** The result with clean texts, and with addresses of ours for the server's resources (CA15, RP2, CF16). */
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

/** One block of a result or prompt. What is base64 is not looked at. */
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

/** What a resource holds, as a result embeds it and as `resources/read` gives it. */
export function cleanContents<Contents extends { readonly uri: string; readonly blob?: string }>(
  contents: Contents,
  cleaning: Cleaning,
): Contents {
  const { blob, ...rest } = contents;
  const cleaned = cleanMembers(rest, cleaning) as Contents;
  const uri = ownUri(cleaning.server, cleaned.uri);
  return { ...cleaned, uri, ...(blob === undefined ? {} : { blob }) };
}

/** Where the page of an app is named, beside `ui.resourceUri`: as the first revisions of MCP Apps and as OpenAI's have it. */
const pageKeys = ["ui/resourceUri", "openai/outputTemplate"] as const;

/** `_meta` of a result, tool or resource; the page of an app is named in it. */
export function cleanMeta(meta: Params, cleaning: Cleaning): Params {
  const cleaned = mapStrings(meta, cleaning.clean) as Params;
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

function cleanMembers<Block extends object>(block: Block, cleaning: Cleaning): Block {
  const { _meta: meta, data: _data, ...rest } = block as Params;
  return {
    ...(mapStrings(rest, cleaning.clean) as Block),
    ...(isObject(meta) ? { _meta: cleanMeta(meta, cleaning) } : {}),
  };
}
