import { readEnvelope, readClientCapabilities } from "../../src/protocol/client-capabilities.ts";
import { encodeCapabilities, encodeDiscoverResult } from "../../src/protocol/handshake-codec.ts";
import type { InputRequest, InputRequests } from "../../src/protocol/input-request.ts";
import {
  encodeInputRequired,
  shapeInputRequest,
  shapeInputRequests,
} from "../../src/protocol/input-request-codec.ts";
import { readInputResponse } from "../../src/protocol/input-response-checks.ts";
import {
  encodeError,
  encodeNotification,
  encodeResult,
  type ProtocolFault,
} from "../../src/protocol/json-rpc.ts";
import { classifyMessage } from "../../src/protocol/message.ts";
import {
  encodeCompletion,
  encodePromptResult,
  encodePromptsList,
  type PromptListing,
  type PromptResult,
} from "../../src/protocol/prompts.ts";
import type {
  ResourceContents,
  ResourceListing,
  ResourceTemplateListing,
} from "../../src/protocol/resource-types.ts";
import {
  encodeResourceContents,
  encodeResourcesList,
  encodeResourceTemplatesList,
} from "../../src/protocol/resources-codec.ts";
import {
  encodeCallToolResult,
  encodeComplete,
  shapeContent,
  encodeToolsListResult,
} from "../../src/protocol/result-codec.ts";
import type { CallToolResult, ContentBlock, ToolListing } from "../../src/protocol/tool-types.ts";
import {
  encodeListenFilter,
  readListenFilter,
} from "../../src/server/subscriptions/subscription.ts";
import { encodeChange, subscriptionMeta } from "../../src/server/subscriptions/subscriptions.ts";
import { ownMeta } from "./own-meta.ts";

// The type parameters say what is in the file that a check is for.
/* oxlint-disable typescript/no-unnecessary-type-parameters */

/** What our codec makes of an example, and what it should make of it. */
type Check = (example: unknown) => readonly [ours: unknown, expected: unknown];

type Json = Record<string, unknown>;

const modern = "2026-07-28";
const id = "listen-1";
const decode = (json: string): Json => JSON.parse(json) as Json;
const hintsOf = (example: Json): { ttlMs: number; cacheScope: "public" | "private" } => ({
  ttlMs: example["ttlMs"] as number,
  cacheScope: example["cacheScope"] as "public" | "private",
});

/** A check of values of type `Example`. */
function check<Example>(run: (example: Example) => readonly [unknown, unknown]): Check {
  return (example) => run(example as Example);
}

/** A result comes back as it is, with our server info. */
function result<Example extends Json>(encode: (example: Example) => string): Check {
  return check<Example>((example) => [
    decode(encode(example)),
    { ...example, _meta: { ...(example["_meta"] as object | undefined), ...ownMeta } },
  ]);
}

/** The response around such a result. */
function response<Example extends Json>(encode: (example: Example) => string): Check {
  return check<{ id: string; result: Example }>((example) => {
    const [ours, expected] = result(encode)(example.result);
    return [
      decode(encodeResult(example.id, JSON.stringify(ours))),
      { ...example, result: expected },
    ];
  });
}

const request: Check = check<Json>((example) => {
  const message = classifyMessage(example);
  const meta = message.kind === "modern-request" ? message.meta : {};
  const { id, method, params } = example;
  return [
    { message, envelope: readEnvelope(meta).kind },
    { message: { kind: "modern-request", id, method, params, meta }, envelope: "envelope" },
  ];
});

const requestParams: Check = (example) =>
  request({ jsonrpc: "2.0", id: 1, method: "m", params: example });

const notification: Check = check<{ method: string; params: Json }>((example) => [
  decode(encodeNotification(example.method, example.params)),
  example,
]);

const fault: Check = check<ProtocolFault>((example) => [
  decode(encodeError(1, example))["error"],
  example,
]);

const errorResponse: Check = check<{ id: number; error: ProtocolFault }>((example) => [
  decode(encodeError(example.id, example.error)),
  example,
]);

const block: Check = check<ContentBlock>((example) => [shapeContent(example, modern), example]);

const contents: Check = check<ResourceContents>((example) => {
  const json = encodeResourceContents([example], modern, { ttlMs: 0, cacheScope: "private" });
  return [decode(json)["contents"], [example]];
});

const inputRequest: Check = check<InputRequest>((example) => [
  shapeInputRequest(example, modern),
  example,
]);

const inputParams = (method: InputRequest["method"]): Check =>
  check<Json>((params) => [
    shapeInputRequest({ method, params } as InputRequest, modern).params,
    params,
  ]);

const answerTo = (makeRequest: (answer: Json) => InputRequest): Check =>
  check<Json>((example) => [readInputResponse(makeRequest(example), example).kind, "answer"]);

/** A form that asks for what the answer holds. */
function formFor({ content }: Json): InputRequest {
  const types = Object.entries(content ?? {}).map(([name, value]) => [
    name,
    { type: typeof value },
  ]);
  const requestedSchema = { type: "object", properties: Object.fromEntries(types) as Json };
  const params = content === undefined ? { mode: "url" } : { message: "m", requestedSchema };
  return { method: "elicitation/create", params } as unknown as InputRequest;
}

type ListExample = Json & { nextCursor: string };

const toolsList = (example: ListExample & { tools: ToolListing[] }): string =>
  encodeToolsListResult(example.tools, modern, {
    hints: hintsOf(example),
    nextCursor: example.nextCursor,
  });
const resourcesList = (example: ListExample & { resources: ResourceListing[] }): string =>
  encodeResourcesList({ ...example, items: example.resources }, modern, hintsOf(example));
const templatesList = (
  example: ListExample & { resourceTemplates: ResourceTemplateListing[] },
): string =>
  encodeResourceTemplatesList(
    { ...example, items: example.resourceTemplates },
    modern,
    hintsOf(example),
  );
const promptsList = (example: ListExample & { prompts: PromptListing[] }): string =>
  encodePromptsList({ ...example, items: example.prompts }, modern, hintsOf(example));
const reading = (example: Json & { contents: ResourceContents[] }): string =>
  encodeResourceContents(example.contents, modern, hintsOf(example));
const promptResult = (example: Json & PromptResult): string => encodePromptResult(example, modern);
const closed = (): string => encodeComplete({}, modern, { meta: subscriptionMeta(id) });

const callResult = check<Json & Omit<CallToolResult, "isError"> & { isError?: boolean }>(
  (example) => {
    // We always say whether it is an error.
    const { isError = false } = example;
    const { content, structuredContent } = example;
    const given = { content, structuredContent, isError };
    return [decode(encodeCallToolResult(given, modern)), { ...example, isError, _meta: ownMeta }];
  },
);

const completion = check<{ completion: { values: string[] } }>(({ completion: { values } }) => [
  decode(encodeCompletion(values, modern)),
  {
    resultType: "complete",
    completion: { values, total: values.length, hasMore: false },
    _meta: ownMeta,
  },
]);

const nothingOffered = {
  tools: { listChanged: false },
  completions: false,
  tasks: false,
  skills: false,
};

const discovered = check<Json & { instructions: string }>((example) => {
  const { instructions } = example;
  const json = encodeDiscoverResult({ offered: nothingOffered, instructions });
  return [decode(json), { ...example, capabilities: { logging: {}, tools: {} }, _meta: ownMeta }];
});

const serverCapabilities = check<Json>((example) => {
  const changes = (name: string): { listChanged: boolean } => ({
    listChanged: (example[name] as Json | undefined)?.["listChanged"] === true,
  });
  const offered = {
    ...nothingOffered,
    tools: changes("tools"),
    ...("resources" in example ? { resources: changes("resources") } : {}),
    ...("prompts" in example ? { prompts: changes("prompts") } : {}),
    completions: "completions" in example,
    tasks: "extensions" in example,
  };
  const expected: Json = { logging: {}, tools: {}, ...example };
  // Whoever has resources can be subscribed to.
  if ("resources" in example) {
    expected["resources"] = { ...(example["resources"] as object), subscribe: true };
  }
  return [encodeCapabilities(offered, modern), expected];
});

const clientCapabilities = check<Record<string, Json | undefined>>((example) => {
  const { elicitation, sampling, roots, extensions } = example;
  const pages = extensions?.["io.modelcontextprotocol/ui"];
  return [
    readClientCapabilities(example, modern),
    {
      elicitationForm: elicitation !== undefined,
      elicitationUrl: elicitation?.["url"] !== undefined,
      sampling: sampling !== undefined,
      samplingTools: sampling?.["tools"] !== undefined,
      roots: roots !== undefined,
      tasks: false,
      ...(pages === undefined ? {} : { apps: "pages" }),
    },
  ];
});

const acknowledged = check<{ method: string; params: Json }>((example) => {
  const read = readListenFilter(example.params);
  const notifications = read.kind === "filter" ? encodeListenFilter(read.filter) : read;
  const params = { _meta: subscriptionMeta(id), notifications };
  return [decode(encodeNotification(example.method, params)), example];
});

const listenRequest = check<{ params: Json }>((example) => {
  const read = readListenFilter(example.params);
  const filter = read.kind === "filter" ? encodeListenFilter(read.filter) : read;
  return [filter, example.params["notifications"]];
});

const inputRequired = check<Json & { inputRequests?: InputRequests; requestState: string }>(
  (example) => {
    const { inputRequests: requests = {}, requestState } = example;
    return [
      decode(encodeInputRequired({ requests, requestState }, modern)),
      { ...example, inputRequests: shapeInputRequests(requests, modern), _meta: ownMeta },
    ];
  },
);

/** For each type that something of ours reads or writes. */
export const exampleChecks: Readonly<Record<string, Check>> = {
  AudioContent: block,
  BlobResourceContents: contents,
  CallToolRequest: request,
  CallToolRequestParams: requestParams,
  CallToolResult: callResult,
  CallToolResultResponse: check<{ result: unknown }>((example) => callResult(example.result)),
  CancelledNotification: notification,
  ClientCapabilities: clientCapabilities,
  CompleteRequest: request,
  CompleteRequestParams: requestParams,
  CompleteResult: completion,
  CompleteResultResponse: check<{ result: unknown }>((example) => completion(example.result)),
  CreateMessageRequest: inputRequest,
  CreateMessageRequestParams: inputParams("sampling/createMessage"),
  CreateMessageResult: answerTo(() => ({
    method: "sampling/createMessage",
    params: { messages: [], maxTokens: 1, tools: [{ name: "get_weather" }] },
  })),
  DiscoverRequest: request,
  DiscoverResult: discovered,
  DiscoverResultResponse: check<{ result: unknown }>((example) => discovered(example.result)),
  ElicitRequest: inputRequest,
  ElicitRequestFormParams: inputParams("elicitation/create"),
  ElicitRequestURLParams: inputParams("elicitation/create"),
  ElicitResult: answerTo(formFor),
  EmbeddedResource: block,
  GetPromptRequest: request,
  GetPromptRequestParams: requestParams,
  GetPromptResult: result(promptResult),
  GetPromptResultResponse: response(promptResult),
  HeaderMismatchError: errorResponse,
  ImageContent: block,
  InputRequests: check<InputRequests>((example) => [shapeInputRequests(example, modern), example]),
  InputRequiredResult: inputRequired,
  InternalError: fault,
  InvalidParamsError: fault,
  ListPromptsRequest: request,
  ListPromptsResult: result(promptsList),
  ListPromptsResultResponse: response(promptsList),
  ListResourceTemplatesRequest: request,
  ListResourceTemplatesResult: result(templatesList),
  ListResourceTemplatesResultResponse: response(templatesList),
  ListResourcesRequest: request,
  ListResourcesResult: result(resourcesList),
  ListResourcesResultResponse: response(resourcesList),
  ListRootsRequest: check<InputRequest>((example) => [
    shapeInputRequest(example, modern).method,
    example.method,
  ]),
  ListRootsResult: answerTo(() => ({ method: "roots/list" })),
  ListToolsRequest: request,
  ListToolsResult: result(toolsList),
  ListToolsResultResponse: response(toolsList),
  LoggingMessageNotification: notification,
  MethodNotFoundError: fault,
  MissingRequiredClientCapabilityError: errorResponse,
  PaginatedRequestParams: requestParams,
  ParseError: fault,
  ProgressNotification: notification,
  PromptListChangedNotification: (example) => [
    decode(encodeChange({ kind: "prompts" }, id)),
    example,
  ],
  ReadResourceRequest: request,
  ReadResourceResult: result(reading),
  ReadResourceResultResponse: response(reading),
  Resource: check<ResourceListing>((example) => {
    const json = encodeResourcesList({ items: [example] }, modern, {
      ttlMs: 0,
      cacheScope: "private",
    });
    return [decode(json)["resources"], [example]];
  }),
  ResourceLink: block,
  ResourceListChangedNotification: (example) => [
    decode(encodeChange({ kind: "resources" }, id)),
    example,
  ],
  ResourceUpdatedNotification: check<{ params: { uri: string } }>((example) => [
    decode(encodeChange({ kind: "resource", uri: example.params.uri }, id)),
    example,
  ]),
  ResourceUpdatedNotificationParams: check<{ uri: string }>((example) => [
    decode(encodeChange({ kind: "resource", uri: example.uri }))["params"],
    example,
  ]),
  ServerCapabilities: serverCapabilities,
  SubscriptionsAcknowledgedNotification: acknowledged,
  SubscriptionsListenRequest: listenRequest,
  SubscriptionsListenResult: result(closed),
  SubscriptionsListenResultResponse: response(closed),
  TextContent: block,
  TextResourceContents: contents,
  Tool: check<ToolListing>((example) => [
    decode(encodeToolsListResult([example], modern))["tools"],
    [example],
  ]),
  ToolListChangedNotification: (example) => [decode(encodeChange({ kind: "tools" }, id)), example],
  UnsupportedProtocolVersionError: errorResponse,
};

/** Parts of the above, which have their own tests where a check looks into them. */
export const withoutCodec: readonly string[] = [
  "BooleanSchema",
  "CancelledNotificationParams",
  "InputResponses",
  "LoggingMessageNotificationParams",
  "ModelPreferences",
  "NumberSchema",
  "ProgressNotificationParams",
  "Root",
  "SamplingMessage",
  "StringSchema",
  "TitledMultiSelectEnumSchema",
  "TitledSingleSelectEnumSchema",
  "ToolResultContent",
  "ToolUseContent",
  "UntitledMultiSelectEnumSchema",
  "UntitledSingleSelectEnumSchema",
];
