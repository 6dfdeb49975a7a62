import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import type { ToolListing } from "../../protocol/tool-types.ts";
import type { CallOutcome, CallRequest, Router, TaskSupport } from "../call.ts";
import type { LookAtOutcome, UpstreamCalls } from "./upstream-calls.ts";

/** Behind the gate: calls of own tools, and of tools of upstream servers. */
export class JoinedRouter implements Router {
  readonly #own: Router;
  readonly #upstream: Pick<UpstreamCalls, "call" | "search">;
  readonly isOpen = true;

  constructor(own: Router, upstream: Pick<UpstreamCalls, "call" | "search">) {
    this.#own = own;
    this.#upstream = upstream;
  }

  list(): readonly ToolListing[] {
    return this.#own.list();
  }

  taskSupport(toolName: string): TaskSupport {
    return this.#own.taskSupport?.(toolName) ?? "none";
  }

  call(request: CallRequest, passedMs = 0, look?: LookAtOutcome): Promise<CallOutcome> {
    const { target } = request;
    switch (target?.kind) {
      case undefined:
        return this.#own.call(request, passedMs);
      case "search":
        return this.#upstream.search(request);
      case "tool":
        return this.#upstream.call(request, target, passedMs, look);
      // The first stage of the gate has refused these.
      case "blocked":
      case "unresolved":
        return Promise.resolve({
          kind: "fault",
          fault: createFault(errorCodes.invalidParams, target.text),
        });
    }
  }
}
