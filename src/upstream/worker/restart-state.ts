import {
  upstreamListWaitMsMax,
  upstreamRestartMs,
  upstreamRestartMsMax,
  upstreamStableMs,
} from "../../base/upstream-limits.ts";
import type { UpstreamControl } from "../upstreams.ts";
import type { UpstreamSnapshot } from "../snapshot.ts";
import type { UpstreamRequest } from "./messages.ts";
import type { ChangedLists } from "./snapshot-slices.ts";
import type { UpstreamOptions } from "./upstream-options.ts";

/** All subscriptions, which a new Worker gets. */
export class KeptSubscriptions {
  readonly #clients = new Map<string, Set<string>>();

  add(uri: string, clientId: string): void {
    const clients = this.#clients.get(uri) ?? new Set();
    this.#clients.set(uri, clients.add(clientId));
  }

  remove(uri: string, clientId: string): void {
    const clients = this.#clients.get(uri);
    if (clients?.delete(clientId) === true && clients.size === 0) this.#clients.delete(uri);
  }

  removeClient(clientId: string): void {
    for (const uri of this.#clients.keys()) this.remove(uri, clientId);
  }

  *[Symbol.iterator](): Generator<readonly [uri: string, clientId: string], void> {
    for (const [uri, clients] of this.#clients) {
      for (const clientId of clients) yield [uri, clientId];
    }
  }
}

/** The options for a replacement of a Worker that has performed `control`. */
export function optionsAfter(control: UpstreamControl, options: UpstreamOptions): UpstreamOptions {
  if (control.kind === "switch-project") {
    const { folders, projectDir } = control;
    return { ...options, folders, dirs: { ...options.dirs, projectDir: projectDir ?? undefined } };
  }
  if (control.kind === "several-principals") return { ...options, principals: "several" };
  return control.kind === "show-apps" ? { ...options, apps: control.apps } : options;
}

/**
 * Whether a request may be made again whose reply was lost: all that change nothing, and calls of tools that declare that
 * a repetition does no harm.
 */
export function mayRepeat(
  request: UpstreamRequest,
  snapshot: Pick<UpstreamSnapshot, "tools"> | undefined,
): boolean {
  if (request.kind !== "call" || request.call.method !== "tools/call") return true;
  const { server, params, inputResponses } = request.call;
  // Answers of the user are for one attempt.
  if (inputResponses !== undefined) return false;
  const found = snapshot?.tools.find((tool) => tool.server === server && tool.tool === params.name);
  const { readOnlyHint, idempotentHint } = found?.annotations ?? {};
  return readOnlyHint === true || idempotentHint === true;
}

/**
 * Keeps the last snapshot of a lost Worker while its replacement asks the servers again: the lists of clients do not get
 * shorter meanwhile. As the first list does, it waits for a bounded time.
 */
export class SnapshotHold {
  readonly #msMax: number;
  #until = 0;
  #changed: ChangedLists = [];

  constructor(msMax = upstreamListWaitMsMax) {
    this.#msMax = msMax;
  }

  /** @param last the snapshot at the loss */
  begin(last: UpstreamSnapshot | undefined): void {
    const isWorthIt = last !== undefined && !last.holdsLists;
    this.#until = isWorthIt ? performance.now() + this.#msMax : 0;
  }

  /** The lists that have changed since the last snapshot that was taken; undefined: this one is not. */
  take({ holdsLists }: UpstreamSnapshot, changed: ChangedLists): ChangedLists | undefined {
    const all = [...new Set([...this.#changed, ...changed])];
    const isHeld = holdsLists && performance.now() < this.#until;
    this.#changed = isHeld ? all : [];
    if (isHeld) return undefined;
    this.#until = 0;
    return all;
  }
}

/** How a lost Worker is replaced. */
export interface RestartTimes {
  /** The pause before the second replacement within a short time; each further one is twice as long. */
  readonly restartMs: number;
  readonly restartMsMax: number;
  /** One that has lived so long is replaced at once. */
  readonly stableMs: number;
  /** Calls wait for the replacement; otherwise they fail, and say when it comes. */
  readonly callsWait: boolean;
}

export const workerRestart: RestartTimes = {
  restartMs: upstreamRestartMs,
  restartMsMax: upstreamRestartMsMax,
  stableMs: upstreamStableMs,
  callsWait: false,
};

/**
 * The pause before a lost Worker is replaced: none at first, then longer with each further loss within a short time.
 */
export class RestartPause {
  #losses = 0;
  #startedAt = 0;
  readonly #times: RestartTimes;

  constructor(times = workerRestart) {
    this.#times = times;
  }

  onStart(): void {
    this.#startedAt = performance.now();
  }

  /** Milliseconds until the next one may start. */
  onLoss(): number {
    const { restartMs, restartMsMax, stableMs } = this.#times;
    if (performance.now() - this.#startedAt >= stableMs) this.#losses = 0;
    this.#losses += 1;
    if (this.#losses === 1) return 0;
    return Math.min(restartMs * 2 ** (this.#losses - 2), restartMsMax);
  }
}
