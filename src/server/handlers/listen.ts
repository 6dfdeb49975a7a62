import type { ClientContext } from "../../calls/call.ts";
import type { ServerFeatures } from "../../calls/features.ts";
import { tasksNotDeclared } from "../../protocol/mcp-task.ts";
import { uriProblem } from "../../protocol/resource-types.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import {
  cancelledReply,
  faultReply,
  invalidParams,
  type MethodReply,
} from "../connection/replies.ts";
import { offersTasks } from "../context/offered-capabilities.ts";
import type { ServedConnection, ServerContext } from "../context/server-context.ts";
import {
  type ListenFilter,
  readListenFilter,
  Subscription,
} from "../subscriptions/subscription.ts";
import { mcpTasksOf } from "../tasks/mcp-tasks.ts";

/** `subscriptions/listen`: lasts until one of the two sides ends it (docs/spec/modern.md#subscriptions). */
export function handleListen(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  const reading = readListenFilter(request.params);
  if (reading.kind === "problem") return invalidParams(reading.problem);
  const { server } = connection;
  const wantsTasks = reading.filter.taskIds !== undefined && offersTasks(server.features);
  if (wantsTasks && !request.asker.capabilities.tasks) {
    return faultReply(tasksNotDeclared("notifications.taskIds"));
  }
  const { filter: wanted } = reading;
  const begin = (): MethodReply | Promise<MethodReply> => {
    if (request.isCancelled) return cancelledReply;
    const filter = honoured(wanted, server, request.client);
    const { features, subscriptions } = server;
    const sources = { features, sender: subscriptions.sender, tasks: () => mcpTasksOf(server) };
    const subscription = new Subscription(request, connection, filter, sources);
    return subscriptions.open(connection, subscription);
  };
  const asking =
    wanted.uris.size === 0
      ? undefined
      : server.features.resources?.prepareWatch?.([...wanted.uris], request.client);
  return asking?.then(begin) ?? begin();
}

/** The part of the filter that the server supports: lists that change, resources that can be watched, MCP tasks of this client. */
function honoured(
  wanted: ListenFilter,
  server: ServerContext,
  client: ClientContext,
): ListenFilter {
  const { features } = server;
  const { changing } = features;
  const tasks = mcpTasksOf(server);
  const taskIds = [...(wanted.taskIds ?? [])].filter((id) => tasks.find(client.id, id));
  return {
    tools: wanted.tools && changing.has("tools"),
    prompts: wanted.prompts && changing.has("prompts"),
    resources: wanted.resources && changing.has("resources"),
    uris: new Set([...wanted.uris].filter((uri) => canWatch(uri, features, client))),
    taskIds: new Set(taskIds),
  };
}

function canWatch(uri: string, { resources }: ServerFeatures, client: ClientContext): boolean {
  return uriProblem(uri) === undefined && resources?.canSubscribe(uri, client) === true;
}
