import { stateLookMs } from "../../base/limits.ts";
import type { EventStream, ServerEvent, StateScope } from "../../base/server-events.ts";
import type { ClientContext } from "../call.ts";
import { scopeOf } from "../state-calls.ts";

export interface WatchedScope {
  /** Costs little and does not throw: its results are compared. */
  readonly look: (scope: StateScope) => string;
  /** After these it looks at once, so that changes of this process are reported without delay. */
  readonly events: EventStream;
  readonly kind: ServerEvent["kind"];
}

/**
 * Watches the state kept for the scope of a client, which other processes change too; calls `tell` when it has changed,
 * until the return value is called.
 */
export function watchScope(
  { look, events, kind }: WatchedScope,
  client: ClientContext,
  tell: () => void,
): () => void {
  let looked: LookedAt | undefined;
  let isOver = false;
  const missed: ServerEvent[] = [];
  const begin = (scope: StateScope): void => {
    if (isOver) return;
    looked = new LookedAt(() => look(scope), tell);
    // The first look has that change already, and the subscriber may not.
    if (missed.some((event) => isOf(scope, event))) tell();
    missed.length = 0;
  };
  // For a workspace that cannot be named nothing is kept.
  scopeOf(client).then(begin, () => (isOver = true));
  const stopListening = events.listen((event) => {
    if (event.kind !== kind || isOver) return;
    if (looked === undefined) missed.push(event);
    else looked.lookNow();
  });
  return () => {
    isOver = true;
    stopListening();
    looked?.[Symbol.dispose]();
  };
}

function isOf({ workspace, owner }: StateScope, event: ServerEvent): boolean {
  if (!("scope" in event)) return false;
  return event.scope.workspace === workspace && event.scope.owner === owner;
}

/**
 * Looks at something every second, and on request, and reports when it has changed: another process may
 * have changed it. `look` costs little, does not throw, and its replies are compared.
 */
export class LookedAt implements Disposable {
  readonly #look: () => string;
  readonly #tell: () => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #seen: string;

  constructor(look: () => string, tell: () => void, everyMs: number = stateLookMs) {
    this.#look = look;
    this.#tell = tell;
    this.#seen = look();
    this.#timer = setInterval(this.lookNow, everyMs).unref();
  }

  readonly lookNow = (): void => {
    const now = this.#look();
    if (now === this.#seen) return;
    this.#seen = now;
    this.#tell();
  };

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
