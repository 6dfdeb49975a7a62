import { callbackSampleMsMax } from "../../base/limits.ts";
import type { ClientReach, ReachableClient } from "../../calls/features.ts";
import { channelMethod } from "../../protocol/handshake-codec.ts";
import { encodeNotification, isWantedAt, type Params } from "../../protocol/json-rpc.ts";
import type { Connection } from "./connection.ts";

/** The legacy sessions that are ready, by client. Holds nothing of the modern revision, whose clients get no unasked message. */
export class LiveConnections implements ClientReach {
  readonly #connections = new Map<string, Set<Connection>>();

  /** The handshake is done. */
  add(connection: Connection): void {
    const { clientId, version } = connection.session;
    if (version === undefined) return;
    const known = this.#connections.get(clientId);
    if (known === undefined) this.#connections.set(clientId, new Set([connection]));
    else known.add(connection);
  }

  /** It has ended, or begins again. */
  delete(connection: Connection): void {
    const { clientId } = connection.session;
    const known = this.#connections.get(clientId);
    if (known === undefined) return;
    known.delete(connection);
    if (known.size === 0) this.#connections.delete(clientId);
  }

  connectionsOf(clientId: string): readonly ReachableClient[] {
    return [...(this.#connections.get(clientId) ?? [])].map((each) => new LegacyClient(each));
  }
}

/** The outbox for messages outside of requests: over HTTP the stream that the client opened with GET. */
class LegacyClient implements ReachableClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get canSample(): boolean {
    const { session, outbox } = this.#connection;
    return session.capabilities.sampling && !outbox.isCongested;
  }

  pushToChannel(content: string, meta: Readonly<Record<string, string>>): boolean {
    return this.#connection.session.takesChannel && this.#send(channelMethod, { content, meta });
  }

  logInfo(logger: string, data: unknown): boolean {
    const { logLevel } = this.#connection.session;
    const level = "info";
    if (!isWantedAt(level, logLevel)) return false;
    return this.#send("notifications/message", { level, logger, data });
  }

  sample(params: Params): Promise<unknown> {
    const { clientRequests, outbox } = this.#connection;
    const method = "sampling/createMessage";
    return clientRequests.request(outbox, method, params, callbackSampleMsMax);
  }

  #send(method: string, params: Params): boolean {
    const { outbox } = this.#connection;
    if (outbox.isCongested) return false;
    outbox.send(encodeNotification(method, params));
    return true;
  }
}
