import { badArguments } from "../../protocol/call-result-codec.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import { tasksNotDeclared } from "../../protocol/mcp-task.ts";
import { isModernVersion } from "../../protocol/versions.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import { withRounds } from "../ask/with-rounds.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { faultReply, invalidParams, type MethodReply } from "../connection/method.ts";
import { TaskCall } from "./task-call.ts";
import { taskSupportOf } from "../tasks/task-support.ts";
import { ToolCall } from "./tool-call.ts";

/** `tools/call`: checks the shape of the parameters; the router knows the tools, their Worker checks the arguments. */
export function handleToolsCall(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  const { params, version, client } = request;
  const name = params?.name;
  const args = params?.arguments;
  if (typeof name !== "string" || name === "") return invalidParams("name must be a tool's name");
  if (name.includes("\0")) return invalidParams("name must not contain a NUL character");
  if (args !== undefined && !isObject(args)) {
    return badArguments(
      version,
      `Invalid arguments for ${name.slice(0, 100)}: arguments must be an object`,
    );
  }
  const { mayUse } = client;
  if (mayUse !== undefined && !mayUse(name)) {
    return invalidParams(`you may not use the tool ${name.slice(0, 100)}`);
  }
  return withRounds(request, connection, () => run(name, args, request, connection));
}

/** The server alone decides whether a call becomes an MCP task; a `task` parameter says nothing (docs/spec/modern.md#mcp-tasks). */
function run(
  name: string,
  args: unknown,
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  const { router } = connection.server.features;
  const support = isModernVersion(request.version) ? taskSupportOf(router, name) : "none";
  if (support === "none") return router.call(new ToolCall(name, args, request, connection));
  if (request.asker.capabilities.tasks) return new TaskCall(name, args, request, connection).run();
  if (support === "required") return faultReply(tasksNotDeclared(`The tool ${name}`));
  return router.call(new ToolCall(name, args, request, connection));
}
