import type { Params } from "./json-rpc.ts";
import { type CacheHints, type ListPage, shapeAnnotations, shapeIcons } from "./list-parts.ts";
import { isAtLeast, type ProtocolVersion } from "./message.ts";
import type {
  ResourceContents,
  ResourceListing,
  ResourceTemplateListing,
} from "./resource-types.ts";
import { encodeComplete } from "./result-codec.ts";

/** The result of `resources/list`, and of `resources/directory/read` (docs/spec/modern.md#skills). */
export function encodeResourcesList(
  { items, nextCursor }: ListPage<ResourceListing>,
  version: ProtocolVersion,
  hints: CacheHints,
): string {
  const resources = items.map(({ uri, name, size, ...rest }) => ({
    uri,
    name,
    size,
    ...shapeDescription(rest, version),
  }));
  return encodeComplete({ resources, nextCursor }, version, { hints });
}

export function encodeResourceTemplatesList(
  { items, nextCursor }: ListPage<ResourceTemplateListing>,
  version: ProtocolVersion,
  hints: CacheHints,
): string {
  const resourceTemplates = items.map(({ uriTemplate, name, ...rest }) => ({
    uriTemplate,
    name,
    ...shapeDescription(rest, version),
  }));
  return encodeComplete({ resourceTemplates, nextCursor }, version, { hints });
}

/** The result of `resources/read`. */
export function encodeResourceContents(
  contents: readonly ResourceContents[],
  version: ProtocolVersion,
  hints: CacheHints,
): string {
  const shaped = contents.map((part) => shapeContents(part, version));
  return encodeComplete({ contents: shaped }, version, { hints });
}

/** The members that resources and templates have in common (docs/spec/legacy.md#revisions). */
function shapeDescription(
  entry: Omit<ResourceTemplateListing, "uriTemplate" | "name">,
  version: ProtocolVersion,
): Params {
  const { title, description, mimeType, icons, _meta } = entry;
  const annotations = shapeAnnotations(entry.annotations, version);
  if (!isAtLeast(version, "2025-06-18")) return { description, mimeType, annotations };
  return {
    title,
    description,
    mimeType,
    annotations,
    icons: shapeIcons(icons, version),
    _meta,
  };
}

function shapeContents(part: ResourceContents, version: ProtocolVersion): Params {
  const { uri, mimeType } = part;
  const _meta = isAtLeast(version, "2025-06-18") ? part._meta : undefined;
  const data = "text" in part ? { text: part.text } : { blob: part.blob };
  return { uri, mimeType, ...data, _meta };
}
