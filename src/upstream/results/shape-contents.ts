import { formatCount } from "../../base/amount-text.ts";
import { JsonText } from "../../base/json-text.ts";
import { resourceFileBytesMax } from "../../base/limits.ts";
import { resultBlocksMax } from "../../base/upstream-limits.ts";
import { notCacheable, type CacheHints } from "../../protocol/cache-hints.ts";
import { encodeComplete } from "../../protocol/complete-result.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";
import type { ResourceContents } from "../../protocol/resource-types.ts";
import { modernVersions } from "../../protocol/versions.ts";
import { boundText } from "./bound-text.ts";
import { cleanContents, cleanMeta } from "./clean-result.ts";
import type { ResultParts } from "./shape-call-result.ts";
import { UnusableAnswer } from "./unusable-answer.ts";

/**
 * A server's answer to `resources/read` as a client may get it. Long texts are cut as results are, but not the pages of
 * apps, which would be broken; bytes are given whole or not at all (RP5).
 * @throws UnusableAnswer `malformed`, or `too_large` with the path of the whole
 */
export async function shapeContents(answer: unknown, parts: ResultParts): Promise<JsonText> {
  const contents = isObject(answer) ? answer.contents : undefined;
  if (!isObject(answer) || !Array.isArray(contents) || contents.length > resultBlocksMax) {
    throw malformed(parts, "has no array of contents");
  }
  const shaped: ResourceContents[] = [];
  for (const [index, value] of contents.entries()) {
    if (!isContents(value))
      throw malformed(parts, `has a contents[${index}] without uri and text or blob`);
    shaped.push(await bounded(cleanContents(value, parts), parts));
  }
  const hints = hintsOf(answer);
  const meta = isObject(answer._meta) ? { meta: cleanMeta(answer._meta, parts) } : {};
  return new JsonText(encodeComplete({ contents: shaped }, modernVersions[0], { hints, ...meta }));
}

function isContents(value: unknown): value is ResourceContents {
  if (!isObject(value) || typeof value.uri !== "string") return false;
  return typeof value.text === "string" || typeof value.blob === "string";
}

async function bounded(contents: ResourceContents, parts: ResultParts): Promise<ResourceContents> {
  if ("blob" in contents && typeof contents.blob === "string") {
    if (contents.blob.length * 0.75 <= resourceFileBytesMax) return contents;
    throw await tooLarge(contents.uri, Buffer.from(contents.blob, "base64"), parts);
  }
  const { text } = contents as ResourceContents & { readonly text: string };
  if (!isPage(contents))
    return { ...contents, text: (await boundText(text, parts.charsMax, parts.results)).text };
  if (Buffer.byteLength(text) <= resourceFileBytesMax) return contents;
  throw await tooLarge(contents.uri, text, parts);
}

/** Shown by the client in a frame and read by no model. */
function isPage({ uri, mimeType }: ResourceContents): boolean {
  return uri.startsWith("ui://") || mimeType?.startsWith("text/html") === true;
}

async function tooLarge(
  uri: string,
  content: string | Uint8Array,
  { server, results }: ResultParts,
): Promise<UnusableAnswer> {
  const bytes = typeof content === "string" ? Buffer.byteLength(content) : content.length;
  const saved = await results.save(content);
  const place = saved === undefined ? "It could not be saved either." : `It is in ${saved.path}.`;
  return new UnusableAnswer(
    "too_large",
    `${uri} of the server ${server} has ${formatCount(bytes)} bytes; a message takes ${formatCount(resourceFileBytesMax)}. ${place}`,
  );
}

/** What a modern server said of how long its answer may be kept. */
function hintsOf({ ttlMs, cacheScope }: Params): CacheHints {
  const isTime = typeof ttlMs === "number" && ttlMs >= 0;
  return {
    ttlMs: isTime ? ttlMs : notCacheable.ttlMs,
    cacheScope: cacheScope === "public" ? cacheScope : "private",
  };
}

function malformed({ server }: ResultParts, reason: string): UnusableAnswer {
  return new UnusableAnswer(
    "malformed",
    `The server ${server} answered resources/read with something that is no result: it ${reason}.`,
  );
}
