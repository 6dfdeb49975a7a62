import { assertNotAborted, startTimer } from "../base/cancellation.ts";
import type { EventStream } from "../base/server-events.ts";
import type { CallRequest } from "../calls/call.ts";
import type { Changes, ClientReach } from "../calls/features.ts";
import type { CallingClients } from "../calls/gate/calling-clients.ts";
import type { NoteSource } from "../calls/gate/gate-stage.ts";
import { callbacksListing } from "../calls/resources/state-listings.ts";
import { callbacksResource, type StateResource } from "../calls/resources/state-resources.ts";
import {
  CallbackScheduler,
  ElapsedClock,
  type SavedCallback,
  type SetCallback,
} from "../state/callbacks/callback-scheduler.ts";
import { FireAnnouncer, Mailboxes, type SavedMailbox } from "../state/callbacks/fires.ts";
import type { Callback, CallbackReply, CallbackRequest } from "../tools/state-services.ts";

export interface CallbacksParts {
  readonly events: EventStream;
  readonly changes: Changes;
  readonly running: CallingClients;
  readonly reach: ClientReach;
  /** The hint given in sampling requests. */
  readonly model: string;
  /** Time; tests bring their own. */
  readonly now?: () => number;
  readonly startTimer?: typeof startTimer;
  /** Called at each change of the result of `saved`. */
  readonly onClientState?: ((clientId: string) => void) | undefined;
}

/** Callbacks and mailbox of a client, for the process that takes over from this one. */
export interface SavedCallbacks {
  readonly callbacks: readonly SavedCallback[];
  readonly mailbox?: SavedMailbox | undefined;
}

type Change = "set" | "fired" | "cancelled" | "ended";

/** SetCallback's service: the callbacks of each client, when they fire, and who is notified. */
export class Callbacks implements Disposable {
  /** The lines at the end of results. */
  readonly notes: NoteSource;
  readonly resource: StateResource = callbacksResource((clientId) => this.#list(clientId));
  readonly #parts: CallbacksParts;
  readonly #scheduler: CallbackScheduler;
  readonly #mailboxes = new Mailboxes();
  readonly #announcer: FireAnnouncer;
  readonly #stopListening: () => void;

  constructor(parts: CallbacksParts) {
    this.#parts = parts;
    const { running } = parts;
    this.#announcer = new FireAnnouncer(parts.model);
    this.#scheduler = new CallbackScheduler({
      now: parts.now ?? new ElapsedClock().now,
      startTimer: parts.startTimer ?? startTimer,
      isBusy: (clientId) => running.of(clientId) > 0,
      onFire: (clientId, callback) => this.#fired(clientId, callback),
    });
    this.notes = {
      clients: this.#mailboxes.clients,
      notesFor: ({ client }) => this.#mailboxes.linesFor(client.id),
      delivered: ({ client }) => {
        this.#mailboxes.delivered(client.id);
        parts.onClientState?.(client.id);
      },
    };
    this.#stopListening = running.listen((clientId, count) => {
      if (count === 0) this.#scheduler.callsEnded(clientId);
    }, this.#scheduler.clients);
  }

  /** @throws AppError `limit` when all slots are full, `not_found` for a slot that is empty, `cancelled` */
  async perform(
    request: CallbackRequest,
    { client, cancellation }: CallRequest,
  ): Promise<CallbackReply> {
    // Its client may have gone: a callback set then would never end.
    assertNotAborted(cancellation);
    const changed = this.#change(request, client.id);
    const callbacks = this.#list(client.id);
    return { callbacks, changed: changed.map((callback) => shape(callback)) };
  }

  saved(clientId: string): SavedCallbacks {
    return { callbacks: this.#scheduler.list(clientId), mailbox: this.#mailboxes.saved(clientId) };
  }

  /** Takes over from a process that is gone: its client had these `passedMs` ago. */
  restore(clientId: string, { callbacks, mailbox }: SavedCallbacks, passedMs: number): void {
    if (mailbox !== undefined) this.#mailboxes.restore(clientId, mailbox);
    const shifted = callbacks.map((slot) => ({
      ...slot,
      nextFireMs: Math.max(0, slot.nextFireMs - passedMs),
    }));
    this.#scheduler.restore(clientId, shifted);
  }

  /** Another process has all callbacks and waiting lines from now on. */
  forgetAll(): void {
    this.#scheduler[Symbol.dispose]();
    this.#mailboxes.forgetAll();
  }

  /** The client has gone: nothing fires for it any more, and missed fires are dropped. */
  endClient(clientId: string): void {
    this.#scheduler.endClient(clientId);
    this.#mailboxes.endClient(clientId);
    this.#announcer.forgive(clientId);
  }

  [Symbol.dispose](): void {
    this.#stopListening();
    this.#scheduler[Symbol.dispose]();
  }

  #change(request: CallbackRequest, clientId: string): readonly SetCallback[] {
    switch (request.action) {
      case "list":
        return [];
      case "set": {
        const callback = this.#scheduler.set(clientId, request);
        this.#announcer.forgive(clientId);
        this.#tell(clientId, "set", callback);
        return [callback];
      }
      case "cancel": {
        const cancelled = this.#scheduler.cancel(clientId, request.callbackId);
        for (const callback of cancelled) this.#tell(clientId, "cancelled", callback);
        return cancelled;
      }
    }
  }

  #fired(clientId: string, callback: SetCallback): void {
    const fire = this.#mailboxes.post(clientId, callback);
    this.#announcer.announce(clientId, fire, this.#parts.reach.connectionsOf(clientId));
    this.#tell(clientId, "fired", callback);
    if (callback.firesLeft === 0) this.#tell(clientId, "ended", callback);
  }

  #tell(clientId: string, change: Change, { callbackId, message }: SetCallback): void {
    const { events, changes } = this.#parts;
    // The last fire and the end are one update of the resource.
    if (change !== "ended") changes.emit({ kind: "resource", uri: callbacksListing.uri, clientId });
    events.emit({ kind: "callback", clientId, callbackId, change, message });
    this.#parts.onClientState?.(clientId);
  }

  #list(clientId: string): readonly Callback[] {
    return this.#scheduler.list(clientId).map((callback) => shape(callback, callback.nextFireMs));
  }
}

/** Without the scheduler's own times. */
function shape(
  { callbackId, message, delaySeconds, firesLeft }: SetCallback,
  nextFireMs = delaySeconds * 1_000,
): Callback {
  return { callbackId, message, delaySeconds, nextFireMs, firesLeft };
}
