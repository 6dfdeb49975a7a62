import { AppError } from "../../base/errors.ts";
import type { UpstreamConfig } from "../config/server-entry.ts";
import type {
  UpstreamCall,
  UpstreamCallEvents,
  UpstreamControl,
  UpstreamReply,
} from "../upstreams.ts";
import { argumentsFault, callFault, failed } from "./call-failure.ts";
import type { Composer } from "./composer.ts";
import { orCancelled } from "./connection-down.ts";
import type { ConfigFollower, CurrentConfig } from "./current-config.ts";
import { ManagedServer } from "./managed-server.ts";
import type { CurrentProject, ManagerParts, ServerEvents } from "./manager-parts.ts";
import { ServerCall } from "./server-call.ts";

export interface ServerCallsParts {
  readonly parts: ManagerParts;
  readonly config: Pick<CurrentConfig, "configured" | "isConfigured">;
  readonly servers: Pick<ServerSet, "get">;
  /** Called after each call, successful or not. */
  readonly onReply: () => void;
}

/** Calls servers by name: finds the server, checks the arguments, makes the call. */
export class ServerCalls {
  readonly #parts: ServerCallsParts;

  constructor(parts: ServerCallsParts) {
    this.#parts = parts;
  }

  /** @throws AppError `cancelled` only */
  async make(
    call: UpstreamCall,
    events: UpstreamCallEvents,
    signal: AbortSignal,
  ): Promise<UpstreamReply> {
    const { parts, config, servers, onReply } = this.#parts;
    // Skip the wait once they exist: it costs each call several promises and listeners.
    if (!config.isConfigured) await orCancelled(config.configured, signal);
    const server = servers.get(call.server);
    if (server === undefined) {
      return failed("unreachable", `No MCP server named ${call.server} is configured any more.`);
    }
    if (!server.isLookedAt) await orCancelled(server.looked, signal);
    const checking = callFault(server, call, parts.checks);
    const fault = checking instanceof Promise ? await checking : checking;
    if (fault !== undefined) return failed("invalid_arguments", fault);
    const reply = await new ServerCall(server, call, events, signal, parts).run();
    onReply();
    return reply;
  }

  async checkArguments(name: string, tool: string, args: unknown): Promise<string | undefined> {
    const { parts, servers } = this.#parts;
    const judged = servers.get(name)?.offer.tool(tool);
    if (judged === undefined) return undefined;
    return argumentsFault(name, judged.item, args, parts.checks);
  }
}

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

interface SwitchParts {
  readonly project: CurrentProject;
  /** The workspace in which the process started. */
  readonly workspace: string | undefined;
  readonly follower: ConfigFollower;
  readonly composer: Composer;
  readonly servers: ServerSet;
}

type Switch = Extract<UpstreamControl, { kind: "switch-workspace" | "switch-project" }>;

/**
 * The client has moved: reads the servers of the other project or workspace, which start once they are approved.
 * Servers in common keep running and get the new roots (CN16).
 */
export async function switchPlace(control: Switch, parts: SwitchParts): Promise<void> {
  const { project, follower, composer, servers } = parts;
  if (control.kind === "switch-workspace") {
    const workspace = control.workspace ?? undefined;
    if (workspace !== parts.workspace) composer.leavePlace();
    return follower.follow(workspace);
  }
  const changed = project.become(control.projectDir ?? undefined, control.folders);
  if (changed.project) {
    composer.leavePlace();
    await follower.moved();
  }
  if (changed.folders) for (const server of servers.all) server.linkSets?.tellRoots();
}
