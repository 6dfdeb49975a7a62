import type { ContentAnnotations } from "./resource-types.ts";
import { isAtLeast, type ProtocolVersion } from "./versions.ts";

/** Annotations without members unknown to the revision: `lastModified` before 2025-06-18. */
export function shapeAnnotations(
  annotations: ContentAnnotations | undefined,
  version: ProtocolVersion,
): ContentAnnotations | undefined {
  if (annotations?.lastModified === undefined || isAtLeast(version, "2025-06-18")) {
    return annotations;
  }
  const { lastModified: _newer, ...known } = annotations;
  return Object.keys(known).length === 0 ? undefined : known;
}
