import { badArguments } from "../../protocol/call-result-codec.ts";
import { readProgressToken } from "../../protocol/envelope.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import type { CallRequest } from "../../gateway/call.ts";
import type { ActiveRequest } from "../active-request.ts";
import type { Connection } from "../connection.ts";
import { invalidParams, type MethodReply } from "../method.ts";
import { ProgressReporter } from "../progress.ts";

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
  const call: CallRequest = { name, args, version, client, cancellation: request.cancellation };
  const token = readProgressToken(params);
  if (token === undefined) return connection.server.router.call(call);
  const progress = new ProgressReporter(token, version, connection.outbox);
  request.progress = progress;
  const onProgress = (message: string): void => progress.report(message);
  return connection.server.router.call({ ...call, onProgress });
}
