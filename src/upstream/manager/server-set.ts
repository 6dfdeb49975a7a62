import { AppError } from "../../base/errors.ts";
import type { UpstreamConfig } from "../config/server-entry.ts";
import { ManagedServer } from "./managed-server.ts";
import { type ManagerParts, type ServerEvents } from "./manager-parts.ts";

/** The servers of the configuration by name. Servers that two configurations have in common keep running (CN15, CN16). */
export class ServerSet {
  readonly #parts: ManagerParts;
  readonly #events: ServerEvents;
  readonly #servers = new Map<string, ManagedServer>();

  constructor(parts: ManagerParts, events: ServerEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  /** By name. */
  get all(): readonly ManagedServer[] {
    return [...this.#servers.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  get(name: string): ManagedServer | undefined {
    return this.#servers.get(name);
  }

  /** @throws AppError `not_found` */
  known(name: string): ManagedServer {
    const server = this.#servers.get(name);
    if (server !== undefined) return server;
    throw new AppError("not_found", `There is no server ${name} in the configuration.`);
  }

  /**
   * Brings the servers to what the configuration says, and starts those of which nothing is known yet and those that shall
   * run: each as soon as it is known whether it may be used, which takes its time where a command gives a secret.
   */
  async apply(config: UpstreamConfig): Promise<void> {
    const gone = [...this.#servers.keys()].filter((name) => !config.servers.has(name));
    const closing = gone.map((name) => {
      const server = this.#servers.get(name);
      this.#servers.delete(name);
      return server?.close();
    });
    const applying = [...config.servers].map(([name, configured]) => {
      const known = this.#servers.get(name);
      const server = known ?? new ManagedServer(configured, this.#parts, this.#events);
      this.#servers.set(name, server);
      return server.apply(configured).then(() => server.begin());
    });
    this.#parts.onChange();
    await Promise.all([...closing, ...applying]);
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((server) => server.close()));
  }
}
