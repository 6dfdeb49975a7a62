import { startTimer, type Timer } from "../base/cancellation.ts";
import type { HubLink, HubLinkHandlers, HubVisitor } from "./link/hub-link.ts";

/** One kind of work that the hub does for its clients. */
interface HubService {
  /** Undefined: not admitted. */
  accept(visitor: HubVisitor, link: HubLink): HubLinkHandlers | undefined;
}

export interface HubParts {
  readonly services: Readonly<Record<HubVisitor["purpose"], HubService>>;
  /** Work for which the hub stays although no client is there. */
  readonly holdsOn: () => boolean;
  /** From the last client's end to the hub's; 0 = at once. */
  readonly idleMs: number;
  /** Whether this process still is the hub; a process that was stopped for a while may have been replaced. */
  readonly holdsLock: () => boolean;
  readonly log: (line: string) => void;
}

interface Visit {
  readonly visitor: HubVisitor;
  /** When it came, in ms since 1970. */
  readonly sinceMs: number;
}

/** A process that uses the hub. */
export interface HubClient extends Pick<Visit, "sinceMs"> {
  readonly pid: number;
}

/** The first client starts the hub, and comes at once. */
const firstClientMsMax = 10_000;
/** How often a hub checks whether another has replaced it. */
const lockLookMs = 1_000;

/** Lets clients in, and ends when nobody needs it any more. */
export class Hub implements Disposable {
  readonly #parts: HubParts;
  readonly #visits = new Map<HubLink, Visit>();
  readonly #ended = Promise.withResolvers<string>();
  readonly #look: ReturnType<typeof setInterval>;
  #idle: Timer | undefined;
  #isClosed = false;

  constructor(parts: HubParts) {
    this.#parts = parts;
    this.#idle = startTimer(Math.max(firstClientMsMax, parts.idleMs), () => this.#onIdle());
    this.#look = setInterval(() => this.#assertHolds(), lockLookMs);
  }

  /** Resolves with the reason why the hub ends. */
  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  /** The processes that use it, oldest first; those that only watch are not among them. */
  clients(): readonly HubClient[] {
    const clients = new Map<number, HubClient>();
    for (const { visitor, sinceMs } of this.#visits.values()) {
      const { pid, purpose } = visitor;
      if (purpose !== "watch" && !clients.has(pid)) clients.set(pid, { pid, sinceMs });
    }
    return [...clients.values()];
  }

  /** See `listenForClients`. */
  readonly accept = (visitor: HubVisitor, link: HubLink): HubLinkHandlers | undefined => {
    if (this.#isClosed || !this.#assertHolds()) return undefined;
    const handlers = this.#parts.services[visitor.purpose].accept(visitor, link);
    if (handlers === undefined) return undefined;
    this.#visits.set(link, { visitor, sinceMs: Date.now() });
    this.reconsider();
    return {
      ...handlers,
      onClosed: (reason) => {
        this.#visits.delete(link);
        handlers.onClosed(reason);
        this.reconsider();
      },
    };
  };

  /** Something has changed on which the hub's stay depends. */
  reconsider(): void {
    if (this.#isClosed || this.#isNeeded()) return this.#stay();
    this.#idle ??= startTimer(this.#parts.idleMs, () => this.#onIdle());
  }

  /** Ends the hub. */
  end(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stay();
    clearInterval(this.#look);
    this.#ended.resolve(reason);
  }

  /** Closes every connection. */
  [Symbol.dispose](): void {
    this.end("closed");
    for (const link of this.#visits.keys()) link.close();
  }

  #isNeeded(): boolean {
    return this.clients().length > 0 || this.#parts.holdsOn();
  }

  #stay(): void {
    this.#idle?.stop();
    this.#idle = undefined;
  }

  #onIdle(): void {
    this.#idle = undefined;
    if (!this.#isNeeded()) this.end("nobody needs it");
  }

  /** A hub that was replaced while it slept must not do anything more. */
  #assertHolds(): boolean {
    if (this.#parts.holdsLock()) return true;
    this.#parts.log("Another process has become the hub meanwhile.");
    this.end("replaced");
    return false;
  }
}
