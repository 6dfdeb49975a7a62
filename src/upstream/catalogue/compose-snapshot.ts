import { upstreamListTtlMsMax } from "../../base/upstream-limits.ts";
import { assignNames } from "../names/assign-names.ts";
import type { SearchedTool } from "../search/searched-tool.ts";
import type { SkillFile } from "../../protocol/skill-types.ts";
import { ownUri } from "../results/own-uris.ts";
import type { PromptEntry, ServerRights, SkillOffer, UpstreamSnapshot } from "../snapshot.ts";
import { skillIn } from "../connect/foreign-skill.ts";
import { composeTools, type ToolParts } from "./compose-tools.ts";
import { introductionOf } from "./introduction.ts";
import { promptListing, resourceListing, templateListing } from "./resource-listings.ts";
import type { ServerView } from "./server-view.ts";

export interface ComposedSnapshot {
  readonly snapshot: Omit<UpstreamSnapshot, "revision" | "indexFile">;
  readonly searched: readonly SearchedTool[];
  /** To be given to the next one as `wasDeferred`. */
  readonly isDeferredForGood: boolean;
}

/** All that the main thread is to know of all servers. Depends on its arguments alone. */
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
      resources: views.flatMap(({ info, offer }) =>
        (offer?.catalogue.resources ?? []).map((one) => resourceListing(info.name, one)),
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
  return assignNames(found, nameMax).assigned.map(({ item, name }) => ({
    server: item.server,
    prompt: item.tool,
    listing: { name, ...promptListing(item.server, item.prompt) },
  }));
}
