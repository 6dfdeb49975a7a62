import { startTimer, type Timer } from "../../base/cancellation.ts";
import { changeRetryMs, changeRetryMsMax } from "../../base/limits.ts";
import type { Change } from "../../calls/features.ts";
import { encodeNotification, type Params, type RequestId } from "../../protocol/json-rpc.ts";
import { metaKeys } from "../../protocol/message.ts";
import type { Outbox } from "../connection/lanes.ts";

/** A subscriber to changes. */
export interface ChangeReader {
  readonly outbox: Outbox;
}

/** Time as the sender sees it; tests bring their own. */
export type StartTimer = (delayMs: number, fire: () => void) => Timer;

/** The notifications that wait for one reader, by key, in the order of arrival; encoded when they are sent. */
type Waiting = Map<string, () => string>;

/**
 * Tells readers of changes. For one who does not read just now a change waits, once for each key however often
 * it comes: what waits is bounded by what can change, not by how often it does.
 */
export class ChangeSender {
  readonly #startTimer: StartTimer;
  readonly #waiting = new Map<ChangeReader, Waiting>();
  #timer: Timer | undefined;
  #delayMs = changeRetryMs;

  constructor(start: StartTimer = startTimer) {
    this.#startTimer = start;
  }

  send(reader: ChangeReader, key: string, encode: () => string): void {
    const waiting = this.#waiting.get(reader);
    if (waiting !== undefined) {
      waiting.set(key, encode);
    } else if (reader.outbox.isCongested) {
      this.#waiting.set(reader, new Map([[key, encode]]));
      this.#retryAfter(changeRetryMs);
    } else {
      reader.outbox.send(encode());
    }
  }

  /** Nothing more is sent to this reader. */
  forget(reader: ChangeReader): void {
    this.#waiting.delete(reader);
  }

  /** Readers who stay away, such as sessions without a stream, are looked at ever more rarely. */
  #retry(): void {
    for (const [reader, waiting] of this.#waiting) {
      drain(reader.outbox, waiting);
      if (waiting.size === 0) this.#waiting.delete(reader);
    }
    if (this.#waiting.size > 0) this.#retryAfter(Math.min(this.#delayMs * 2, changeRetryMsMax));
  }

  #retryAfter(delayMs: number): void {
    this.#timer?.stop();
    this.#delayMs = delayMs;
    this.#timer = this.#startTimer(delayMs, () => this.#retry());
  }
}

function drain(outbox: Outbox, waiting: Waiting): void {
  for (const [key, encode] of waiting) {
    if (outbox.isCongested) return;
    waiting.delete(key);
    outbox.send(encode());
  }
}

/** Changes with the same key say the same: one that waits stands for all of them. */
export function changeKey(change: Change): string {
  return change.kind === "resource" ? `resource ${change.uri}` : change.kind;
}

/** The notification of a change; `subscriptionId` is that of a modern subscription, with its JSON type. */
export function encodeChange(change: Change, subscriptionId?: RequestId): string {
  const tag =
    subscriptionId === undefined ? undefined : { _meta: subscriptionMeta(subscriptionId) };
  if (change.kind === "resource") {
    return encodeNotification("notifications/resources/updated", { ...tag, uri: change.uri });
  }
  return encodeNotification(`notifications/${change.kind}/list_changed`, tag);
}

/** `_meta` of every message of a subscription (docs/spec/modern.md#subscriptions). */
export function subscriptionMeta(id: RequestId): Params {
  return { [metaKeys.subscriptionId]: id };
}
