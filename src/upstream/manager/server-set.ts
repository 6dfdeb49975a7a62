import { AppError } from "../../base/errors.ts";
import type { UpstreamConfig } from "../config/server-entry.ts";
import { ManagedServer } from "./managed-server.ts";
import type { ManagerParts, ServerEvents } from "./manager-parts.ts";

/** The configured servers by name. Servers that two configurations have in common keep running (CN15, CN16). */
export class ServerSet implements AsyncDisposable {
  readonly #parts: ManagerParts;
  readonly #events: ServerEvents;
  readonly #servers = new Map<string, ManagedServer>();

  constructor(parts: ManagerParts, events: ServerEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  /** Sorted by name. */
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
    throw new AppError("not_found", `No MCP server named ${name} is configured.`);
  }

  /**
   * Applies a configuration. Starts servers whose offer is unknown and eager ones, each as soon as its permission is
   * known, which may take a while when a command provides a secret.
   */
  async apply(config: UpstreamConfig): Promise<void> {
    const gone = [...this.#servers.keys()].filter((name) => !config.servers.has(name));
    const closing = gone.map((name) => {
      const server = this.#servers.get(name);
      this.#servers.delete(name);
      return server?.[Symbol.asyncDispose]();
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

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.all.map((server) => server[Symbol.asyncDispose]()));
  }
}
