import { upstreamTaskKeptMs } from "../../base/upstream-limits.ts";
import { extensionIds } from "../../protocol/client-capabilities.ts";
import { errorCodes, isObject, type Params } from "../../protocol/json-rpc.ts";
import { legacyVersionLatest } from "../../protocol/versions.ts";
import { ConnectionError, type ConnectionRequest } from "./connection.ts";
import type { Greeting } from "./handshake.ts";
import { LegacyTask } from "./legacy-task.ts";
import { ModernTask } from "./modern-task.ts";
import type { Peer } from "./peer.ts";
import type { CallOrigin, PeerReply } from "./pending-calls.ts";
import type { ServerRequests } from "./server-requests.ts";
import { type AskTask, TaskCall, type TaskForm } from "./task-call.ts";
import { readTask } from "./task-state.ts";

interface CallTasksParts {
  readonly peer: Peer;
  readonly greeting: Greeting;
  readonly requests: ServerRequests;
}

/** What a client with the extension says of itself. */
export const taskExtension = { extensions: { [extensionIds.tasks]: {} } };

/**
 * Which calls of a server's tools are made as tasks: those only that can be made in no other way, since nothing is heard of a
 * task between two looks.
 */
export class CallTasks {
  readonly #parts: CallTasksParts;
  /** Tools of a modern server that it has refused to call otherwise. */
  readonly #demanding = new Set<string>();

  constructor(parts: CallTasksParts) {
    this.#parts = parts;
  }

  /**
   * For the parameters of a call: that it is to be a task of 2025-11-25.
   * @throws ConnectionError when it would have to be one and the server knows no tasks
   */
  params({ method, mustBeTask = false, timeoutMs }: ConnectionRequest): Params {
    const { protocolVersion, capabilities } = this.#parts.greeting;
    if (method !== "tools/call" || !mustBeTask || protocolVersion !== legacyVersionLatest)
      return {};
    if (memberOf(capabilities, "tasks", "requests", "tools", "call") === undefined) {
      const text =
        "It can be called as a task only, and its server does not say that it knows tasks. That is a fault of the server.";
      throw new ConnectionError("refused", text);
    }
    return { task: { ttl: Math.ceil(timeoutMs) + upstreamTaskKeptMs } };
  }

  /** For the capabilities of a call to a modern server. */
  capabilities({ method, params }: ConnectionRequest): Params {
    return method === "tools/call" && this.#demanding.has(String(params.name)) ? taskExtension : {};
  }

  /** True when the tool was refused because it can be called as a task only, and the next attempt will be one. */
  learn({ method, params }: ConnectionRequest, reply: PeerReply): boolean {
    if (method !== "tools/call" || reply.kind !== "fault") return false;
    const { code, data } = reply.fault;
    const { capabilities } = this.#parts.greeting;
    const path = ["extensions", extensionIds.tasks] as const;
    const isWanted =
      code === errorCodes.missingClientCapability &&
      memberOf(data, "requiredCapabilities", ...path) !== undefined &&
      memberOf(capabilities, ...path) !== undefined;
    const name = String(params.name);
    if (!isWanted || this.#demanding.has(name)) return false;
    this.#demanding.add(name);
    return true;
  }

  /** Takes up the task that the answer of a call may be. */
  origin({ method, mustBeTask }: ConnectionRequest, shape: (params: Params) => Params): CallOrigin {
    const { peer, greeting, requests } = this.#parts;
    const mayBeTask = greeting.era === "modern" || mustBeTask === true;
    if (method !== "tools/call" || !mayBeTask) return {};
    return {
      taskOf: (reply, call) => {
        const task = reply.kind === "result" ? taskIn(reply.result, greeting.era) : undefined;
        if (task === undefined) return undefined;
        const formOf = (ask: AskTask): TaskForm =>
          greeting.era === "legacy"
            ? new LegacyTask(ask)
            : new ModernTask(ask, (request) => requests.askFor(request, call));
        return new TaskCall(readTask(task), { peer, call, shape, formOf });
      },
    };
  }
}

function taskIn(result: unknown, era: Greeting["era"]): unknown {
  if (!isObject(result)) return undefined;
  if (era === "modern") return result.resultType === "task" ? result : undefined;
  return isObject(result.task) && result.content === undefined ? result.task : undefined;
}

function memberOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}
