import type { CallRequest } from "../../calls/call.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { HandlerContext } from "./handler-context.ts";

/** A `tools/call` as the router sees it. */
export class ToolCall extends HandlerContext implements CallRequest {
  readonly name: string;
  readonly args: unknown;
  readonly closeStream?: () => void;

  constructor(name: string, args: unknown, request: ActiveRequest, connection: ServedConnection) {
    super(request, connection);
    this.name = name;
    this.args = args;
    const { closeEarly } = request.lane;
    if (closeEarly !== undefined) this.closeStream = closeEarly;
  }
}
