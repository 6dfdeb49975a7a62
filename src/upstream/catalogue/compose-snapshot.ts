import { cutEnd, oneLine } from "../../base/cut-text.ts";
import {
  upstreamDescriptionCharsMax,
  upstreamIntroductionCharsMax,
  upstreamListTtlMsMax,
  upstreamTitleCharsMax,
} from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { PromptArgument, PromptListing } from "../../protocol/prompts.ts";
import type { ResourceListing, ResourceTemplateListing } from "../../protocol/resource-types.ts";
import type { SkillFile } from "../../protocol/skills.ts";
import { cleanText } from "../adapters/text-of.ts";
import type { ServerCatalogue } from "../connect/connection.ts";
import { skillIn } from "../connect/foreign-skill.ts";
import { assignNames } from "../names/assign-names.ts";
import { cleanMeta, ownUri } from "../results/clean-result.ts";
import type {
  PromptEntry,
  ServerRights,
  SkillOffer,
  UpstreamSnapshot,
  SearchedTool,
} from "../snapshot.ts";
import type { JudgedCatalogue } from "../trust/judge-catalogue.ts";
import { composeTools, type ToolParts, type ServerView } from "./compose-tools.ts";
import { readIcons, textOf } from "./tool-listing.ts";

export interface ComposedSnapshot {
  readonly snapshot: Omit<UpstreamSnapshot, "revision" | "indexFile">;
  readonly searched: readonly SearchedTool[];
  /** Pass it to the next call as `wasDeferred`. */
  readonly isDeferredForGood: boolean;
}

/** Everything that the main thread knows of all servers. Depends on its arguments alone. */
export function composeSnapshot(parts: ToolParts): ComposedSnapshot {
  const { views } = parts;
  const { tools, blocked, searched, decision } = composeTools(parts);
  const skills = views.flatMap(skillsOf);
  return {
    searched,
    isDeferredForGood: decision.isSettled && decision.isDeferred,
    snapshot: {
      servers: views.map(({ info }) => info),
      rights: views.map(rightsOf),
      tools,
      blocked,
      prompts: promptsOf(views, parts.toolNameMax),
      ...(skills.length === 0 ? {} : { skills }),
      resources: views.flatMap(({ info, offer, hidesResources }) =>
        (hidesResources === true ? [] : (offer?.catalogue.resources ?? [])).map((one) =>
          resourceListing(info.name, one),
        ),
      ),
      templates: views.flatMap(({ info, offer }) =>
        (offer?.catalogue.templates ?? []).map((one) => templateListing(info.name, one)),
      ),
      isDeferred: decision.isDeferred,
      isLookedAt: views.every(({ isLookedAt }) => isLookedAt),
      isIncomplete: views.some(({ isAwaited }) => isAwaited),
      holdsLists: views.some(({ holdsLists }) => holdsLists),
      introductions: views.flatMap(({ info, offer }) => {
        const line = offer === undefined ? undefined : introductionOf(offer.judged);
        return line === undefined ? [] : [{ server: info.name, line }];
      }),
      ttlMs: Math.min(
        upstreamListTtlMsMax,
        ...views.flatMap(({ offer }) => offer?.catalogue.ttlMs ?? []),
      ),
      isPrivate: views.some(
        ({ offer, hasCredentials }) =>
          offer !== undefined && (offer.catalogue.isPrivate || hasCredentials),
      ),
    },
  };
}

function rightsOf({ info, roots, options }: ServerView): ServerRights {
  const { policy, sampling, elicitation, timeoutMs, handover, toolsPrefix } = options;
  return {
    name: info.name,
    sampling,
    elicitation,
    roots,
    timeoutMs,
    handover,
    ...(options.oauth?.perUser?.trade === undefined ? {} : { tradesIdentity: true as const }),
    ...(policy === undefined ? {} : { policy }),
    ...(toolsPrefix === undefined ? {} : { prefix: toolsPrefix }),
  };
}

function skillsOf({ info, offer }: ServerView): readonly SkillOffer[] {
  return (offer?.judged.prompts ?? []).flatMap((judged) => {
    const skill = judged.state === "approved" ? skillIn(judged.shown) : undefined;
    if (skill === undefined) return [];
    const { uri, frontmatter, resources } = skill;
    const own = (file: SkillFile): SkillFile => ({ ...file, uri: ownUri(info.name, file.uri) });
    const files = resources === "dynamic" ? resources : resources.map(own);
    const entry = { uri: ownUri(info.name, uri), frontmatter, resources: files };
    return [{ server: info.name, name: frontmatter.name, skill: entry }];
  });
}

function promptsOf(views: readonly ServerView[], nameMax: number): readonly PromptEntry[] {
  const found = views.flatMap(({ info, offer }) =>
    (offer?.judged.prompts ?? []).flatMap((judged) =>
      judged.state === "approved" && skillIn(judged.item) === undefined
        ? [{ server: info.name, tool: judged.item.name, prompt: judged.shown }]
        : [],
    ),
  );
  return assignNames(found, nameMax).map(({ item, name }) => ({
    server: item.server,
    prompt: item.tool,
    listing: { name, ...promptListing(item.server, item.prompt) },
  }));
}

/** Names of tools that introduce a server without instructions. */
const toolNamesMax = 8;
const toolNamesCharsMax = 300;

/**
 * A server's instructions as one line in quotes, so that they are not taken for scorpiox-code's own words (TR7);
 * without instructions, the names of its tools. Only approved content is shown. Undefined when there is none.
 */
function introductionOf({ instructions, tools }: JudgedCatalogue): string | undefined {
  if (instructions !== undefined) return quoted(instructions, upstreamIntroductionCharsMax);
  const names = tools.flatMap(({ state, item }) => (state === "approved" ? [item.name] : []));
  if (names.length === 0) return undefined;
  const shown = quoted(names.slice(0, toolNamesMax).join(", "), toolNamesCharsMax);
  const more = names.length - toolNamesMax;
  return more > 0 ? `tools ${shown} and ${more} more` : `tools ${shown}`;
}

function quoted(text: string, charsMax: number): string {
  // Quotes inside would end the quoted text.
  const said = cleanText(text).replaceAll('"', "'");
  return `"${oneLine(said, charsMax - 2)}"`;
}

/** An upstream server's resources as clients see them, with scorpiox-code's addresses (RP1, RP2). */
function resourceListing(
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

function templateListing(
  server: string,
  template: ServerCatalogue["templates"][number],
): ResourceTemplateListing {
  return { uriTemplate: ownUri(server, template.uriTemplate), ...described(server, template) };
}

/** A prompt without its exposed name. */
function promptListing(
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

/** The members that resources, templates and prompts share. */
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
