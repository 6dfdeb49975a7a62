import type { ReplyRecord } from "../../base/reply-record.ts";
import { type CallObserver, ObservedRequest } from "../../calls/call-observer.ts";
import { readName } from "../../protocol/client-capabilities.ts";
import {
  type LegacyRequest,
  metaKeys,
  metaOf,
  type ModernRequest,
} from "../../protocol/message.ts";
import type { ReplyLane } from "./replies.ts";
import type { Session } from "./session.ts";

/** The lane of one request while observers watch: every request of both eras ends with the one `reply` of its lane. */
export class ObservedLane implements ReplyLane {
  readonly observed: ObservedRequest;
  readonly closeEarly?: () => void;
  readonly #lane: ReplyLane;

  constructor(lane: ReplyLane, observed: ObservedRequest) {
    this.#lane = lane;
    this.observed = observed;
    if (lane.closeEarly !== undefined) this.closeEarly = lane.closeEarly;
  }

  get isCongested(): boolean {
    return this.#lane.isCongested;
  }

  send(text: string): void {
    this.#lane.send(text);
  }

  reply(text: string | undefined, code?: number, record?: ReplyRecord): void {
    this.#lane.reply(text, code, record);
    this.observed.answered(text, code);
  }
}

/** The lane of a request that is observed from now on. */
export function observedLane(
  observer: CallObserver,
  message: LegacyRequest | ModernRequest,
  session: Session,
  lane: ReplyLane,
): ObservedLane {
  const { kind, method, id, params } = message;
  const { origin } = lane;
  if (origin !== undefined) origin.isReceived = true;
  const isModern = kind === "modern-request";
  const name = params?.name;
  const version = isModern ? message.meta[metaKeys.protocolVersion] : session.version;
  const observed = new ObservedRequest(observer, {
    principal: session.owner,
    clientId: session.clientId,
    clientName: clientNameOf(message, session),
    address: origin?.address,
    version: typeof version === "string" ? version : undefined,
    method,
    id,
    name: typeof name === "string" ? name : undefined,
    traceparent: metaOf(params)?.traceparent,
    outerTraceparent: origin?.traceparent,
  });
  return new ObservedLane(lane, observed);
}

function clientNameOf(
  message: LegacyRequest | ModernRequest,
  session: Session,
): string | undefined {
  if (message.kind === "modern-request") return readName(message.meta[metaKeys.clientInfo]);
  if (message.method === "initialize") return readName(message.params?.clientInfo);
  return session.clientName;
}
