import { cutEnd } from "../../base/cut-text.ts";
import { upstreamDescriptionCharsMax, upstreamTitleCharsMax } from "../../base/upstream-limits.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";
import type { PromptArgument, PromptListing } from "../../protocol/prompt-types.ts";
import type { ResourceListing, ResourceTemplateListing } from "../../protocol/resource-types.ts";
import { cleanText } from "../adapters/clean-text.ts";
import { cleanMeta } from "../results/clean-result.ts";
import { ownUri } from "../results/own-uris.ts";
import type { ServerCatalogue } from "../connect/server-catalogue.ts";
import { readIcons, textOf } from "./tool-listing.ts";

/** Resources of another server as clients are shown them, with addresses of ours (RP1, RP2). */
export function resourceListing(
  server: string,
  resource: ServerCatalogue["resources"][number],
): ResourceListing {
  const { size } = resource;
  return {
    uri: ownUri(server, resource.uri),
    ...described(server, resource),
    ...(typeof size === "number" ? { size } : {}),
  };
}

export function templateListing(
  server: string,
  template: ServerCatalogue["templates"][number],
): ResourceTemplateListing {
  return { uriTemplate: ownUri(server, template.uriTemplate), ...described(server, template) };
}

/** A prompt apart from its name here. */
export function promptListing(
  server: string,
  prompt: ServerCatalogue["prompts"][number],
): Omit<PromptListing, "name"> {
  const {
    name: _name,
    mimeType: _type,
    annotations: _annotations,
    ...rest
  } = described(server, prompt);
  const list = Array.isArray(prompt.arguments) ? prompt.arguments : [];
  const known = list.flatMap((value: unknown) => readArgument(value) ?? []);
  return { ...rest, ...(known.length === 0 ? {} : { arguments: known }) };
}

function readArgument(value: unknown): PromptArgument | undefined {
  if (!isObject(value) || typeof value.name !== "string") return undefined;
  const { required } = value;
  return {
    name: value.name,
    ...texts(value),
    ...(typeof required === "boolean" ? { required } : {}),
  };
}

/** What resources, templates and prompts have in common. */
function described(
  server: string,
  value: Params & { readonly name: string },
): Omit<ResourceListing, "uri" | "size"> {
  const { annotations, icons, _meta: meta, mimeType } = value;
  const shown = readIcons(icons);
  return {
    name: cutEnd(cleanText(value.name), upstreamTitleCharsMax),
    ...texts(value),
    ...(typeof mimeType === "string" ? { mimeType } : {}),
    ...(isObject(annotations) ? { annotations } : {}),
    ...(shown === undefined ? {} : { icons: shown }),
    ...(isObject(meta) ? { _meta: cleanMeta(meta, { server, clean: cleanText }) } : {}),
  };
}

function texts(value: Params): { readonly title?: string; readonly description?: string } {
  const title = textOf(value.title);
  const description = textOf(value.description);
  return {
    ...(title === undefined ? {} : { title: cutEnd(cleanText(title), upstreamTitleCharsMax) }),
    ...(description === undefined
      ? {}
      : { description: cutEnd(cleanText(description), upstreamDescriptionCharsMax) }),
  };
}
