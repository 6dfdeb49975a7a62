import { watchedCharsMax, watchedResourcesMax } from "../../base/limits.ts";
import type { Change } from "../../calls/features.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";

/** The changes that a subscription wants (docs/spec/modern.md#subscriptions). */
export interface ListenFilter {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  readonly uris: ReadonlySet<string>;
  /** MCP tasks; undefined when they were not asked for. */
  readonly taskIds: ReadonlySet<string> | undefined;
}

export type FilterReading =
  | { readonly kind: "filter"; readonly filter: ListenFilter }
  | { readonly kind: "problem"; readonly problem: string };

/** Reads `params.notifications`; fields that we do not know are ignored. */
export function readListenFilter(params: Params | undefined): FilterReading {
  const wanted = params?.notifications;
  if (!isObject(wanted)) return problem("notifications must be an object");
  const { toolsListChanged, promptsListChanged, resourcesListChanged } = wanted;
  for (const flag of [toolsListChanged, promptsListChanged, resourcesListChanged]) {
    if (flag !== undefined && typeof flag !== "boolean") {
      return problem("notifications.…ListChanged must be true or false");
    }
  }
  const uris = readStringSet(wanted.resourceSubscriptions ?? []);
  if (uris === undefined) return problem(setRule("resourceSubscriptions"));
  const taskIds = wanted.taskIds === undefined ? undefined : readStringSet(wanted.taskIds);
  if (taskIds === undefined && wanted.taskIds !== undefined) return problem(setRule("taskIds"));
  const filter = {
    tools: toolsListChanged === true,
    prompts: promptsListChanged === true,
    resources: resourcesListChanged === true,
    uris,
    taskIds,
  };
  return { kind: "filter", filter };
}

/** `notifications` of the acknowledgement: what is not honoured is left out. */
export function encodeListenFilter(filter: ListenFilter): Params {
  const { tools, prompts, resources, uris, taskIds } = filter;
  return {
    ...(tools ? { toolsListChanged: true } : {}),
    ...(prompts ? { promptsListChanged: true } : {}),
    ...(resources ? { resourcesListChanged: true } : {}),
    ...(uris.size > 0 ? { resourceSubscriptions: [...uris] } : {}),
    ...(taskIds !== undefined && taskIds.size > 0 ? { taskIds: [...taskIds] } : {}),
  };
}

/** True when the subscription wants the change. */
export function isWanted(filter: ListenFilter, change: Change, clientId: string): boolean {
  const isAsked = change.kind === "resource" ? filter.uris.has(change.uri) : filter[change.kind];
  return isAsked && (change.clientId ?? clientId) === clientId;
}

function readStringSet(value: unknown): ReadonlySet<string> | undefined {
  if (!Array.isArray(value) || value.length > watchedResourcesMax) return undefined;
  const texts = value as readonly unknown[];
  if (!texts.every((text) => typeof text === "string")) return undefined;
  return charsOf(texts) > watchedCharsMax ? undefined : new Set(texts);
}

/** Characters of all of them together. */
export function charsOf(texts: Iterable<string>): number {
  let chars = 0;
  for (const text of texts) chars += text.length;
  return chars;
}

function setRule(field: string): string {
  return `notifications.${field} must be an array of at most ${watchedResourcesMax} strings, ${watchedCharsMax} characters in all`;
}

function problem(text: string): FilterReading {
  return { kind: "problem", problem: text };
}
