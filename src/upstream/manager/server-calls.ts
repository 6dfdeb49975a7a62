import type { UpstreamCall, UpstreamCallEvents, UpstreamReply } from "../upstreams.ts";
import { argumentsFault, callFault } from "./arguments-fault.ts";
import { failed } from "./call-failure.ts";
import type { CurrentConfig } from "./current-config.ts";
import type { ManagerParts } from "./manager-parts.ts";
import { orCancelled } from "./or-cancelled.ts";
import { ServerCall } from "./server-call.ts";
import type { ServerSet } from "./server-set.ts";

export interface ServerCallsParts {
  readonly parts: ManagerParts;
  readonly config: Pick<CurrentConfig, "configured" | "isConfigured">;
  readonly servers: Pick<ServerSet, "get">;
  /** A call has been made, however it went. */
  readonly onReply: () => void;
}

/** Calls to servers by their names: each finds its server, has its arguments checked, and is made. */
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
    // Once they are there nothing is waited for: to wait costs each call several promises and listeners.
    if (!config.isConfigured) await orCancelled(config.configured, signal);
    const server = servers.get(call.server);
    if (server === undefined) {
      return failed(
        "unreachable",
        `There is no server ${call.server} in the configuration any more.`,
      );
    }
    if (!server.isLookedAt) await orCancelled(server.looked, signal);
    const fault = await callFault(server, call, parts.checks);
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
