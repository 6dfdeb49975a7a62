import { isObject } from "../../protocol/json-rpc.ts";

/**
 * Whether a tool is for the pages of a server's app alone (MCP Apps, `_meta.ui.visibility` without `model`): no model is to
 * see or call it.
 */
export function isForApps(tool: { readonly name: string; readonly _meta?: unknown }): boolean {
  const { _meta: meta } = tool;
  const ui = isObject(meta) ? meta.ui : undefined;
  const visibility: unknown = isObject(ui) ? ui.visibility : undefined;
  return Array.isArray(visibility) && !visibility.includes("model");
}
