import { product } from "../base/product.ts";
import { metaKeys } from "./envelope.ts";
import { isAtLeast, type ProtocolVersion } from "./versions.ts";

/** scorpiox-code's `Implementation` with the fields that the revision knows (docs/spec/legacy.md#revisions). */
export function serverInfoFor(version: ProtocolVersion): Readonly<Record<string, string>> {
  const { name, title, description } = product;
  if (!isAtLeast(version, "2025-06-18")) return { name, version: product.version };
  if (!isAtLeast(version, "2025-11-25")) return { name, title, version: product.version };
  return { name, title, version: product.version, description };
}

/** `_meta` of every modern result (docs/spec/modern.md#results). */
export const modernResultMeta: Readonly<Record<string, unknown>> = {
  [metaKeys.serverInfo]: serverInfoFor("2026-07-28"),
};
