import { extensionIds } from "./client-capabilities.ts";
import type { InputRequests } from "./input-request.ts";
import { shapeInputRequests } from "./input-request-codec.ts";
import { createFault, errorCodes, type Params, type ProtocolFault } from "./json-rpc.ts";
import { modernVersions } from "./message.ts";
import { modernResultMeta } from "./result-codec.ts";

/** The state of an MCP task, with its data; the last three are final (docs/spec/modern.md#mcp-tasks). */
export type McpTaskState =
  | { readonly status: "working" }
  /** All that the client has to answer before it goes on. */
  | { readonly status: "input_required"; readonly inputRequests: InputRequests }
  | McpTaskEnd;

export type McpTaskEnd =
  /** `json` is the result that the call would have had, as JSON text; `isError` included. */
  | { readonly status: "completed"; readonly json: string }
  /** The call would have been answered with this JSON-RPC error. */
  | { readonly status: "failed"; readonly fault: ProtocolFault }
  | { readonly status: "cancelled" };

/** An MCP task as the client sees it at one moment. */
export interface McpTaskView {
  readonly taskId: string;
  readonly state: McpTaskState;
  readonly statusMessage: string | undefined;
  /** ISO 8601, as is `lastUpdatedAt`. */
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** Readable this long from `createdAt` on, in whole milliseconds; null = as long as the server lives. */
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
}

/** Text that a host may give to the model as the call's result for now (2025-11-25, Model Immediate Response). */
const immediateResponseKey = "io.modelcontextprotocol/model-immediate-response";

/** The answer to a call that has become an MCP task, as JSON text. Flat, and without the requests that it waits for. */
export function encodeCreateTaskResult(view: McpTaskView): string {
  const { statusMessage } = view;
  // For clients that continue with the model while the task runs: the model learns at once which task it has started.
  const immediate = statusMessage === undefined ? {} : { [immediateResponseKey]: statusMessage };
  const _meta = { ...modernResultMeta, ...immediate };
  return JSON.stringify({ resultType: "task", ...commonFields(view), _meta });
}

/** The result of `tasks/get` as JSON text; `resultType` is that of an ordinary result. */
export function encodeGetTaskResult(view: McpTaskView): string {
  const { state } = view;
  const fields = { resultType: "complete", ...commonFields(view), _meta: modernResultMeta };
  switch (state.status) {
    case "working":
    case "cancelled":
      return JSON.stringify(fields);
    case "input_required":
      return JSON.stringify({ ...fields, inputRequests: shapedRequests(state.inputRequests) });
    case "failed":
      return JSON.stringify({ ...fields, error: state.fault });
    case "completed":
      // Spliced in: the text is the Worker's and may be long.
      return `${JSON.stringify(fields).slice(0, -1)},"result":${state.json}}`;
  }
}

/** The acknowledgement of `tasks/update` and `tasks/cancel`. */
export const taskAcknowledgement: string = JSON.stringify({
  resultType: "complete",
  _meta: modernResultMeta,
});

/** Parameters of `notifications/tasks` without `_meta`: the whole task as `tasks/get` would show it. */
export function taskNotificationParams(view: McpTaskView): Params {
  const { state } = view;
  const fields = commonFields(view);
  switch (state.status) {
    case "working":
    case "cancelled":
      return fields;
    case "input_required":
      return { ...fields, inputRequests: shapedRequests(state.inputRequests) };
    case "failed":
      return { ...fields, error: state.fault };
    case "completed":
      return { ...fields, result: JSON.parse(state.json) as unknown };
  }
}

/** -32021 for a request that did not declare the extension (docs/spec/modern.md#declaring-tasks). */
export function tasksNotDeclared(what: string): ProtocolFault {
  return createFault(
    errorCodes.missingClientCapability,
    `${what} needs the client capability extensions["${extensionIds.tasks}"]: declare it in this request`,
    { requiredCapabilities: { extensions: { [extensionIds.tasks]: {} } } },
  );
}

function shapedRequests(requests: InputRequests): Params {
  return shapeInputRequests(requests, modernVersions[0]);
}

function commonFields(view: McpTaskView): Params {
  const { taskId, state, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = view;
  const { status } = state;
  return { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs };
}
