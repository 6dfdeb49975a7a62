import { isObject, type Params } from "../../protocol/json-rpc.ts";
import type { ServerCatalogue } from "../connect/server-catalogue.ts";

/** Of the format; a file with another one is not read. */
const catalogueVersion = 1;

export function printCatalogue(catalogue: ServerCatalogue): string {
  return JSON.stringify({ version: catalogueVersion, catalogue });
}

/** Undefined for what was written by another version, cut short or changed by hand so that it cannot be used. */
export function parseCatalogue(text: string): ServerCatalogue | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value.version !== catalogueVersion) return undefined;
  return isCatalogue(value.catalogue) ? value.catalogue : undefined;
}

function isCatalogue(value: unknown): value is ServerCatalogue {
  if (!isObject(value)) return false;
  const { era, protocolVersion, capabilities, instructions, ttlMs, isPrivate, serverInfo } = value;
  return (
    (era === "legacy" || era === "modern") &&
    typeof protocolVersion === "string" &&
    isObject(capabilities) &&
    isMaybe(instructions, "string") &&
    isMaybe(ttlMs, "number") &&
    typeof isPrivate === "boolean" &&
    (serverInfo === undefined || isServerInfo(serverInfo)) &&
    isListOf(value.tools, (tool) => isText(tool.name) && isObject(tool.inputSchema)) &&
    isListOf(value.prompts, (prompt) => isText(prompt.name)) &&
    isListOf(value.resources, (resource) => isText(resource.uri) && isText(resource.name)) &&
    isListOf(
      value.templates,
      (template) => isText(template.uriTemplate) && isText(template.name),
    ) &&
    Array.isArray(value.problems) &&
    value.problems.every(isText)
  );
}

function isServerInfo(value: unknown): boolean {
  return isObject(value) && isText(value.name) && isText(value.version);
}

function isListOf(value: unknown, isItem: (item: Params) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isObject(item) && isItem(item));
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isMaybe(value: unknown, type: "string" | "number"): boolean {
  return value === undefined || typeof value === type;
}
