import type { AppSupport } from "../../protocol/client-capabilities.ts";
import type { Era } from "../connect/connection.ts";
import type { LaunchTarget } from "./launch-target.ts";
import type { ManagedConnection } from "./managed-connection.ts";
import type { ConnectionListener, ManagerParts } from "./manager-parts.ts";
import { ServerConnections } from "./server-connections.ts";

type Apps = AppSupport | undefined;

/**
 * All connections to one server. An older server is told once, at the handshake, whether apps are shown: clients that show
 * them and clients that do not have connections of their own. A stateless one is told with each request.
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

  /** Those whose lists count. */
  get main(): ServerConnections {
    return this.#main;
  }

  /** For a client that shows apps, or does not. */
  of(apps: Apps): ServerConnections {
    const { target } = this.#main;
    if (apps === target.apps || this.#knownEra() === "modern") return this.#main;
    const known = this.#others.get(apps) ?? this.#make(target.showing(apps));
    this.#others.set(apps, known);
    return known;
  }

  /** That of which the lists must have been looked at before `link` of `links` is called: maybe another one. */
  listed(links: ServerConnections, link: ManagedConnection): ManagedConnection {
    return links === this.#main && !links.target.keepsListsApart ? link : this.#main.forLists();
  }

  /** Some client shows apps now: the lists are from here on those that such a client is given. */
  show(apps: Apps): void {
    const before = this.#main;
    const next = this.of(apps);
    if (next === before) return;
    this.#others.delete(apps);
    this.#others.set(before.target.apps, before);
    this.#main = next;
    const connection = next.primary?.connection;
    if (connection !== undefined) this.#listener.onConnected(connection);
    else if (before.primary !== undefined) next.forLists().want();
  }

  /** For the same launch by other settings; false when it is another one. */
  retarget(target: LaunchTarget): boolean {
    const { target: before } = this.#main;
    const next = target.showing(before.apps);
    if (next.key !== before.key) return false;
    this.#main.retarget(next);
    for (const [apps, links] of this.#others) links.retarget(target.showing(apps));
    return true;
  }

  /** Those that may ask for folders ask again. */
  tellRoots(): void {
    for (const links of this.#all) links.tellRoots();
  }

  /** What was only for this client ends. */
  endClient(clientId: string): void {
    for (const links of this.#all) links.endClient(clientId);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((links) => links.stop()));
  }

  get #all(): readonly ServerConnections[] {
    return [this.#main, ...this.#others.values()];
  }

  #make(target: LaunchTarget): ServerConnections {
    const listener = this.#listener;
    const isMain = (): boolean => links === this.#main;
    const links: ServerConnections = new ServerConnections(
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
    return links;
  }
}
