import type { AppSupport } from "../../protocol/client-capabilities.ts";
import type { Era } from "../connect/connection.ts";
import type { ConnectionListener } from "./connection-pool.ts";
import type { LaunchTarget } from "./launch-target.ts";
import type { ManagedConnection } from "./managed-connection.ts";
import type { ManagerParts } from "./manager-parts.ts";
import { ServerConnections } from "./server-connections.ts";

type Apps = AppSupport | undefined;

/**
 * All connections to one server. A legacy server learns once, at the handshake, whether its client shows apps, so
 * clients that show them and clients that do not have separate connections. A modern server learns it with each
 * request.
 */
export class ConnectionSets {
  readonly #parts: ManagerParts;
  readonly #listener: ConnectionListener;
  readonly #knownEra: () => Era | undefined;
  #main: ServerConnections;
  readonly #others = new Map<Apps, ServerConnections>();

  constructor(
    target: LaunchTarget,
    parts: ManagerParts,
    listener: ConnectionListener,
    knownEra: () => Era | undefined,
  ) {
    this.#parts = parts;
    this.#listener = listener;
    this.#knownEra = knownEra;
    this.#main = this.#make(target);
  }

  /** The connections whose lists are used. */
  get main(): ServerConnections {
    return this.#main;
  }

  /** The connections for a client that shows apps, or does not. */
  of(apps: Apps): ServerConnections {
    const { target } = this.#main;
    // In the hub, the client that a modern server serves next may be one that shows no apps.
    const isTold = this.#knownEra() === "modern" && !target.servesSeveral;
    if (apps === target.apps || isTold) return this.#main;
    const known = this.#others.get(apps) ?? this.#make(target.showing(apps));
    this.#others.set(apps, known);
    return known;
  }

  /** The connection whose lists must have been read before `connection` of `set` is called; it may be `connection` itself. */
  listed(set: ServerConnections, connection: ManagedConnection): ManagedConnection {
    return set === this.#main && !set.target.keepsListsApart ? connection : this.#main.forLists();
  }

  /** A client shows apps now: from here on the lists are those for such a client. */
  show(apps: Apps): void {
    const before = this.#main;
    const next = this.of(apps);
    if (next === before) return;
    this.#others.delete(apps);
    this.#others.set(before.target.apps, before);
    this.#main = next;
    const connection = next.primary?.live;
    if (connection !== undefined) this.#listener.onConnected(connection);
    else if (before.primary !== undefined) next.forLists().want();
    // Each manager of the hub has one client, which shows them now.
    if (before.target.servesSeveral) before.leave();
  }

  /** Each client has a process of its own from here on. */
  separate(): void {
    for (const set of this.#all) set.separate();
  }

  /** Applies other settings to the same launch; false when the launch differs. */
  retarget(target: LaunchTarget): boolean {
    const { target: before } = this.#main;
    const next = target.showing(before.apps);
    if (next.key !== before.key) return false;
    this.#main.retarget(next);
    for (const [apps, set] of this.#others) set.retarget(target.showing(apps));
    return true;
  }

  /** Tells servers that may ask for roots that these have changed. */
  tellRoots(): void {
    for (const set of this.#all) set.tellRoots();
  }

  /** Ends connections that served only this client. */
  endClient(clientId: string): void {
    for (const set of this.#all) set.endClient(clientId);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((set) => set.stop()));
  }

  get #all(): readonly ServerConnections[] {
    return [this.#main, ...this.#others.values()];
  }

  #make(target: LaunchTarget): ServerConnections {
    const listener = this.#listener;
    const isMain = (): boolean => set === this.#main;
    const set: ServerConnections = new ServerConnections(
      target,
      this.#parts,
      {
        ...listener,
        onBegun: () => isMain() && listener.onBegun(),
        onConnected: (connection) => isMain() && listener.onConnected(connection),
        onListChanged: (list) => isMain() && listener.onListChanged(list),
      },
      this.#knownEra,
    );
    return set;
  }
}
