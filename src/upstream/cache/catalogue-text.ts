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

/** Whether a member is what it must be; absent ones are undefined. `apps` counts as it was written. */
const memberChecks: Readonly<
  Record<Exclude<keyof ServerCatalogue, "apps">, (value: unknown) => boolean>
> = {
  era: (era) => era === "legacy" || era === "modern",
  protocolVersion: isText,
  serverInfo: (info) =>
    info === undefined || (isObject(info) && isText(info.name) && isText(info.version)),
  capabilities: isObject,
  instructions: (instructions) => isMaybe(instructions, "string"),
  tools: (tools) =>
    isListOf(tools, ({ name, inputSchema }) => isText(name) && isObject(inputSchema)),
  prompts: (prompts) => isListOf(prompts, ({ name }) => isText(name)),
  resources: (resources) => isListOf(resources, ({ uri, name }) => isText(uri) && isText(name)),
  templates: (templates) =>
    isListOf(templates, ({ uriTemplate, name }) => isText(uriTemplate) && isText(name)),
  ttlMs: (ttlMs) => isMaybe(ttlMs, "number"),
  isPrivate: (isPrivate) => typeof isPrivate === "boolean",
  problems: (problems) => Array.isArray(problems) && problems.every(isText),
};

function isCatalogue(value: unknown): value is ServerCatalogue {
  if (!isObject(value)) return false;
  return Object.entries(memberChecks).every(([member, isRight]) => isRight(value[member]));
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
