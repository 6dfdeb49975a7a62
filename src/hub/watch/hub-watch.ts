import { startTimer } from "../../base/cancellation.ts";
import { randomHex } from "../../base/digests.ts";
import { AppError } from "../../base/errors.ts";
import { handshakeMsMax } from "../link/admission.ts";
import type { HubLink, HubLinkHandlers } from "../link/hub-link.ts";
import type { HubPlace } from "../link/hub-place.ts";
import { type Visit, visitHub } from "../link/visit-hub.ts";
import type { HubStatus } from "./hub-status.ts";
import { encodeWatch, readWatchReply, type WatchReply, type WatchRequest } from "./messages.ts";

/** Makes a link for watching; undefined when no hub is there. */
export type ReachForWatch = (handlers: HubLinkHandlers) => Promise<HubLink | undefined>;

/** How a hub has taken the request to end. */
export type StopOutcome =
  | { readonly kind: "stopping" }
  /** It goes on for these kept tasks. */
  | { readonly kind: "keeps"; readonly running: number };

/** A hub that works answers at once; one that is flooded gets some time. */
const answerMsMax = 5_000;

/** The watching side of a link to the hub. */
export class HubWatch implements Disposable {
  readonly #waiting = new Map<number, PromiseWithResolvers<WatchReply>>();
  readonly #closed = Promise.withResolvers<string>();
  #link: HubLink | undefined;
  #lastId = 0;
  #isClosed = false;

  /** Undefined when no hub is there. @throws AppError when there is one that cannot be reached */
  static async open(reach: ReachForWatch): Promise<HubWatch | undefined> {
    const watch = new HubWatch();
    const link = await reach({
      onText: (text) => watch.#take(text),
      onClosed: (reason) => watch.#close(reason),
    });
    if (link === undefined) return undefined;
    watch.#link = link;
    return watch;
  }

  /** Resolves with the reason when the link is closed, by whichever side. */
  get closed(): Promise<string> {
    return this.#closed.promise;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @throws AppError `system` when it does not answer */
  async status(): Promise<HubStatus> {
    const reply = await this.#ask({ type: "status", id: this.#nextId() });
    if (reply.type === "status") return reply.status;
    throw unusable(reply);
  }

  /** Asks the hub to end. @throws AppError `system` when it does not answer */
  async stop({ endsKept }: { readonly endsKept: boolean }): Promise<StopOutcome> {
    const reply = await this.#ask({ type: "stop", id: this.#nextId(), endsKept });
    if (reply.type === "stopping") return { kind: "stopping" };
    if (reply.type === "keeps") return { kind: "keeps", running: reply.running };
    throw unusable(reply);
  }

  /** Idempotent. */
  [Symbol.dispose](): void {
    this.#link?.close();
  }

  #nextId(): number {
    this.#lastId++;
    return this.#lastId;
  }

  async #ask(request: WatchRequest): Promise<WatchReply> {
    if (this.#isClosed) throw gone(await this.closed);
    const waiting = Promise.withResolvers<WatchReply>();
    this.#waiting.set(request.id, waiting);
    const timer = startTimer(answerMsMax, () =>
      waiting.reject(new AppError("system", `The hub did not answer within ${answerMsMax} ms.`)),
    );
    try {
      this.#link?.send(encodeWatch(request));
      return await waiting.promise;
    } finally {
      timer.stop();
      this.#waiting.delete(request.id);
    }
  }

  #take(text: string): void {
    const reply = readWatchReply(text);
    if (reply === undefined) return this.#link?.close();
    this.#waiting.get(reply.id)?.resolve(reply);
  }

  #close(reason: string): void {
    this.#isClosed = true;
    this.#closed.resolve(reason);
    for (const { reject } of this.#waiting.values()) reject(gone(reason));
  }
}

function gone(reason: string): AppError {
  return new AppError("system", `The hub closed the connection: ${reason}.`);
}

function unusable(reply: WatchReply): AppError {
  const reason = reply.type === "failed" ? reply.reason : "it does not know this request";
  return new AppError("system", `The hub refused: ${reason}.`);
}

/**
 * Watches the hub of a place, which is never started for it. Undefined when none listens there.
 * @throws AppError `system` with the reason when one does, and cannot be asked
 */
export function openHubWatch(place: HubPlace, signal: AbortSignal): Promise<HubWatch | undefined> {
  const clientKey = randomHex(16);
  return HubWatch.open(async (handlers) => {
    const visit = await visitHub(place, {
      purpose: "watch",
      clientKey,
      handlers,
      signal,
      msMax: handshakeMsMax,
    });
    if (visit.kind === "admitted") return visit.link;
    if (visit.kind === "absent") return undefined;
    throw new AppError("system", `${reasonOf(visit)}.`);
  });
}

function reasonOf(visit: Exclude<Visit, { readonly kind: "admitted" | "absent" }>): string {
  switch (visit.kind) {
    case "busy":
      return "it cannot take another connection at this moment";
    case "refused":
      return visit.reason;
    case "silent":
      return "it does not answer";
  }
}
