import type { ConnectionEvents, UpstreamConnection } from "../connect/connection.ts";
import type { ManagedConnection } from "./managed-connection.ts";

/** Told of everything that happens at a connection that it shares. */
export interface ConnectionListener extends Omit<ConnectionEvents, "onClosed"> {
  onState(): void;
  onBegun(): void;
  onConnected(connection: UpstreamConnection): void;
}

interface Shared {
  readonly link: ManagedConnection;
  readonly listeners: Set<ConnectionListener>;
}

/** Connections that several servers of the configuration share since they are the same launch (IS5). */
export class ConnectionPool {
  readonly #shared = new Map<string, Shared>();

  /**
   * The connection for `key`, made when nobody has it.
   * @param make gets who is told of its events
   */
  acquire(
    key: string,
    listener: ConnectionListener,
    make: (audience: ConnectionListener) => ManagedConnection,
  ): ManagedConnection {
    const known = this.#shared.get(key);
    if (known !== undefined) {
      known.listeners.add(listener);
      return known.link;
    }
    const listeners = new Set([listener]);
    const link = make(audienceOf(listeners));
    this.#shared.set(key, { link, listeners });
    return link;
  }

  /** Ends the connection when nobody is left who has it. */
  async release(key: string, listener: ConnectionListener): Promise<void> {
    const shared = this.#shared.get(key);
    if (shared === undefined || !shared.listeners.delete(listener)) return;
    if (shared.listeners.size > 0) return;
    this.#shared.delete(key);
    await shared.link.stop();
  }
}

function audienceOf(listeners: ReadonlySet<ConnectionListener>): ConnectionListener {
  const tell = (act: (listener: ConnectionListener) => void): void => {
    for (const listener of listeners) act(listener);
  };
  return {
    onState: () => tell((listener) => listener.onState()),
    onBegun: () => tell((listener) => listener.onBegun()),
    onConnected: (connection) => tell((listener) => listener.onConnected(connection)),
    onListChanged: (list) => tell((listener) => listener.onListChanged(list)),
    onResourceUpdated: (uri) => tell((listener) => listener.onResourceUpdated(uri)),
    onLog: (level, data, logger) => tell((listener) => listener.onLog(level, data, logger)),
    onStray: (text) => tell((listener) => listener.onStray(text)),
  };
}
