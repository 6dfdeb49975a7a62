import { stateLookMs } from "../../base/limits.ts";
import type { EventStream, ServerEvent, StateScope } from "../../base/server-events.ts";
import type { ClientContext } from "../call.ts";
import { scopeOf } from "../state-calls.ts";

export interface WatchedScope {
  /** Costs little and never fails: its results are compared. A promise where an engine has to be asked. */
  readonly look: (scope: StateScope) => string | Promise<string>;
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
 * have changed it. `look` costs little, never fails, and its replies are compared.
 */
export class LookedAt implements Disposable {
  readonly #look: () => string | Promise<string>;
  readonly #tell: () => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #seen: string | undefined;
  /** The answer is still under way, and whether it was asked for again meanwhile. */
  #asked: { isAgain: boolean } | undefined;
  #isOver = false;

  constructor(look: () => string | Promise<string>, tell: () => void, everyMs = stateLookMs) {
    this.#look = look;
    this.#tell = tell;
    this.lookNow();
    this.#timer = setInterval(this.lookNow, everyMs).unref();
  }

  readonly lookNow = (): void => {
    if (this.#asked !== undefined) {
      this.#asked.isAgain = true;
      return;
    }
    const now = this.#look();
    if (typeof now === "string") this.#compare(now);
    else void this.#compareLater(now);
  };

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearInterval(this.#timer);
  }

  #compare(now: string): void {
    const before = this.#seen;
    this.#seen = now;
    if (before !== undefined && before !== now) this.#tell();
  }

  async #compareLater(answer: Promise<string>): Promise<void> {
    const asked = (this.#asked = { isAgain: false });
    const now = await answer;
    this.#asked = undefined;
    if (this.#isOver) return;
    this.#compare(now);
    if (asked.isAgain) this.lookNow();
  }
}
