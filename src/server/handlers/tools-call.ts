import { badArguments } from "../../protocol/call-result-codec.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import type { ActiveRequest } from "../active-request.ts";
import type { Connection } from "../connection.ts";
import { invalidParams, type MethodReply } from "../method.ts";
import { ToolCall } from "../tool-call.ts";

/** `tools/call`: checks the shape of the parameters; the router knows the tools, their Worker checks the arguments. */
export function handleToolsCall(
  request: ActiveRequest,
  connection: Connection,
): MethodReply | Promise<MethodReply> {
  const { params, version, client } = request;
  const name = params?.name;
  const args = params?.arguments;
  if (typeof name !== "string" || name === "") return invalidParams("name must be a tool's name");
  if (name.includes("\0")) return invalidParams("name must not contain a NUL character");
  if (args !== undefined && !isObject(args)) {
    return badArguments(version, `Invalid arguments for ${name}: arguments must be an object`);
  }
  const { mayUse } = client;
  if (mayUse !== undefined && !mayUse(name)) {
    return invalidParams(`you may not use the tool ${name.slice(0, 100)}`);
  }
  return connection.server.features.router.call(new ToolCall(name, args, request, connection));
}
