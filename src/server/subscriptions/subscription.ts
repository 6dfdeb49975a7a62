import { watchedCharsMax, watchedResourcesMax } from "../../base/limits.ts";
import { isObject } from "../../base/values.ts";
import type { ServerFeatures, Change } from "../../calls/features.ts";
import { encodeNotification, type Params } from "../../protocol/json-rpc.ts";
import { encodeComplete } from "../../protocol/result-codec.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { Connection } from "../connection/connection.ts";
import {
  type Outbox,
  cancelledReply,
  type MethodReply,
  resultReply,
} from "../connection/replies.ts";
import type { McpTask } from "../tasks/mcp-task.ts";
import type { McpTasks } from "../tasks/mcp-tasks.ts";
import {
  changeKey,
  type ChangeReader,
  type ChangeSender,
  encodeChange,
  subscriptionMeta,
} from "./subscriptions.ts";

/** The sources of changes. */
interface ChangeSources {
  readonly features: ServerFeatures;
  readonly tasks: () => McpTasks;
  readonly sender: ChangeSender;
}

/**
 * One `subscriptions/listen`, from its acknowledgement to its end (docs/spec/modern.md#subscriptions). How it ends is decided
 * once: by the client, which then gets nothing more, or by the server, which says so.
 */
export class Subscription implements ChangeReader {
  readonly outbox: Outbox;
  readonly #request: ActiveRequest;
  readonly #connection: Connection;
  readonly #filter: ListenFilter;
  readonly #sources: ChangeSources;
  readonly #ended = Promise.withResolvers<MethodReply>();
  readonly #stops: (() => void)[] = [];

  /** @param filter the part of the client's filter that is honoured */
  constructor(
    request: ActiveRequest,
    connection: Connection,
    filter: ListenFilter,
    sources: ChangeSources,
  ) {
    this.outbox = request.lane;
    this.#request = request;
    this.#connection = connection;
    this.#filter = filter;
    this.#sources = sources;
  }

  /**
   * Acknowledges, then sends changes. The promise is the reply to the request: it resolves at the end, after `onEnd`.
   */
  start(onEnd: () => void): Promise<MethodReply> {
    this.#stops.push(onEnd);
    const { id, lane } = this.#request;
    const notifications = encodeListenFilter(this.#filter);
    lane.send(
      encodeNotification("notifications/subscriptions/acknowledged", {
        _meta: subscriptionMeta(id),
        notifications,
      }),
    );
    this.#watch();
    this.#request.onEndGracefully(() => this.#end(this.#result()));
    this.#request.cancellation.onCancel(() => this.#end(cancelledReply));
    return this.#ended.promise;
  }

  /** We end it while the connection goes on: by a notification on a pipe, by the result over HTTP. */
  drop(reason: string): void {
    const { id, lane } = this.#request;
    if (!this.#connection.endsByNotification) return this.#end(this.#result());
    const params = { _meta: subscriptionMeta(id), requestId: id, reason };
    lane.send(encodeNotification("notifications/cancelled", params));
    this.#end(cancelledReply);
  }

  #watch(): void {
    const { features } = this.#sources;
    const { id, client } = this.#request;
    const stop = features.changes.listen((change) => {
      if (!isWanted(this.#filter, change, client.id)) return;
      this.#sources.sender.send(this, changeKey(change), () => encodeChange(change, id));
    });
    this.#stops.push(stop);
    for (const uri of this.#filter.uris) {
      const end = features.resources?.watch?.(uri, client);
      if (end !== undefined) this.#stops.push(end);
    }
    this.#watchTasks(this.#filter.taskIds ?? new Set());
  }

  /**
   * Sends the current state of each task: it may have ended before the client could listen, which need not poll it any more
   * (docs/spec/modern.md#task-methods).
   */
  #watchTasks(taskIds: ReadonlySet<string>): void {
    if (taskIds.size === 0) return;
    const tasks = this.#sources.tasks();
    const { client } = this.#request;
    const stop = tasks.onChange((task) => {
      if (task.ownerId === client.id && taskIds.has(task.id)) this.#tellTask(task);
    });
    this.#stops.push(stop);
    for (const id of taskIds) {
      const task = tasks.find(client.id, id);
      if (task !== undefined) this.#tellTask(task);
    }
  }

  /** The task as it is when the client reads, not as it was when it did not. */
  #tellTask(task: McpTask): void {
    this.#sources.sender.send(this, `task ${task.id}`, () =>
      encodeNotification("notifications/tasks", {
        _meta: subscriptionMeta(this.#request.id),
        ...task.notificationParams(),
      }),
    );
  }

  #result(): MethodReply {
    const { id, version } = this.#request;
    return resultReply(encodeComplete({}, version, { meta: subscriptionMeta(id) }));
  }

  #end(reply: MethodReply): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#sources.sender.forget(this);
    this.#ended.resolve(reply);
  }
}

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
