import { isObject } from "../../base/values.ts";
import { isModernVersion } from "../../protocol/message.ts";
import { badArguments } from "../../protocol/result-codec.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import { invalidParams, type MethodReply, resultReply } from "../connection/replies.ts";
import { taskSupportOf } from "../context/offered-capabilities.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { withRounds, ToolCall, unknownCursor } from "./handler-context.ts";
import { lazyHandlers } from "./late.ts";

/** `tools/list` (docs/spec/modern.md#tools). At once where the list is the same for all clients with the same extensions. */
export function handleToolsList(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  const { version, client, params, asker } = request;
  connection.server.features.tools.meet?.(asker.capabilities);
  const showsApps = asker.capabilities.apps !== undefined;
  const page = connection.server.toolPages.page(version, client, params?.cursor, showsApps);
  return page instanceof Promise ? page.then(replyOf) : replyOf(page);
}

function replyOf(json: string | undefined): MethodReply {
  return json === undefined ? unknownCursor() : resultReply(json);
}

/** `tools/call`: checks the shape of the parameters; `features.tools` knows the tools, their Worker checks the arguments. */
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
  const { tools } = connection.server.features;
  const support = isModernVersion(request.version) ? taskSupportOf(tools, name) : "none";
  const mayBeTask = support !== "none" && request.asker.capabilities.tasks;
  if (!mayBeTask && support !== "required") {
    return tools.call(new ToolCall(name, args, request, connection));
  }
  return lazyHandlers.use(({ callAsTask }) => callAsTask(name, args, request, connection));
}
