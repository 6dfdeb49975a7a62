import { isObject } from "../../base/values.ts";
import type { ClassifiedMessage } from "../../protocol/message.ts";
import type { Channels } from "../engine/channels.ts";
import type { FleetSecret } from "../engine/fleet-secret.ts";
import type { Replica } from "../replicas/replica.ts";

/** News of a session, for all replicas. */
export type Notice =
  | { readonly kind: "ended" | "changed"; readonly session: string }
  /** A client reads this stream at the sender from now on. */
  | { readonly kind: "read"; readonly session: string; readonly stream: string }
  /** The sender has the session's own stream from now on. */
  | { readonly kind: "own"; readonly session: string }
  /** A message of the client for the replica that runs the request in it. */
  | { readonly kind: "message"; readonly session: string; readonly message: unknown };

export interface NoticesParts {
  readonly channels: Channels;
  readonly replica: Replica;
  readonly secret: FleetSecret;
  /** The name of the channel. */
  readonly channel: string;
}

/** Notices of sessions to all other replicas of the fleet. */
export class Notices {
  readonly #parts: NoticesParts;

  constructor(parts: NoticesParts) {
    this.#parts = parts;
  }

  /**
   * @param onNotice with the id of its sender; never called for notices of this replica
   * @param onGap some may have been missed
   * @throws SharedEngineError
   */
  listen(onNotice: (notice: Notice, from: string) => void, onGap: () => void): Promise<() => void> {
    const { channels, channel } = this.#parts;
    return channels.listen(channel, (text) => this.#hear(text, onNotice), onGap);
  }

  /** Resolves when the engine has it. @throws SharedEngineError */
  async send(notice: Notice): Promise<void> {
    const { channels, channel, replica, secret } = this.#parts;
    const text = JSON.stringify({ ...notice, from: replica.id });
    await channels.publish(channel, secret.sign(text, channel));
  }

  #hear(signed: string, onNotice: (notice: Notice, from: string) => void): void {
    const { channel, replica, secret } = this.#parts;
    const text = secret.verified(signed, channel);
    if (text === undefined) return;
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || typeof value.from !== "string" || replica.isOwn(value.from)) return;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- signed by a replica of this fleet
    onNotice(value as unknown as Notice, value.from);
  }
}

/** A notification that concerns requests at other replicas too. */
export function noticeIn(message: ClassifiedMessage): unknown {
  if (message.kind !== "notification") return undefined;
  const { method, params } = message;
  const isForAll =
    method === "notifications/cancelled" || method === "notifications/roots/list_changed";
  return isForAll
    ? { jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) }
    : undefined;
}

/** The answer of a client to a request of a replica, which is named in its id. */
export function answerIn(
  message: ClassifiedMessage,
): { readonly to: string; readonly answer: unknown } | undefined {
  if (message.kind !== "response") return undefined;
  const { id, result, error } = message;
  const to = typeof id === "string" ? /^server-([a-z2-7]{10})-\d+$/.exec(id)?.[1] : undefined;
  if (to === undefined) return undefined;
  return { to, answer: { jsonrpc: "2.0", id, ...(error === undefined ? { result } : { error }) } };
}

/** A message, or a batch. */
export function oneOrAll(messages: readonly unknown[]): unknown {
  return messages.length === 1 ? messages[0] : messages;
}
