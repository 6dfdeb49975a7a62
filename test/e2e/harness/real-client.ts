import { Client as Client2, type ElicitResult } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

import { leastArguments } from "./least-arguments.ts";

/** A tool as a list has it. */
export interface ListedTool {
  readonly name: string;
  readonly inputSchema: unknown;
  readonly [member: string]: unknown;
}

/** What is needed of the official clients; both are the same here. */
export interface RealClient extends AsyncDisposable {
  listTools(): Promise<readonly ListedTool[]>;
  /** Rejects for what is no result. */
  callTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    more?: CallOptions,
  ): Promise<CalledResult>;
  listResources(): Promise<readonly { readonly uri: string; readonly name: string }[]>;
  readResource(uri: string): Promise<unknown>;
  listTemplates(): Promise<readonly string[]>;
  listPrompts(): Promise<readonly string[]>;
  getPrompt(name: string, args: Record<string, string>): Promise<unknown>;
  /** What may stand for an argument of a prompt that begins so. */
  complete(prompt: string, argument: string, value: string): Promise<readonly string[]>;
  subscribe(uri: string): Promise<void>;
  /** The resources that have changed, and the changes of the list of tools. */
  readonly seen: { readonly updated: string[]; toolChanges: number; asked: string[] };
}

export interface CallOptions {
  readonly onprogress?: (progress: { readonly progress: number }) => void;
  readonly signal?: AbortSignal;
}

export interface CalledResult {
  readonly isError?: boolean;
  readonly content: readonly unknown[];
  readonly structuredContent?: unknown;
}

export interface Command {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly cwd: string;
}

const clientInfo = { name: "verify", version: "1" };
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
/** Longer than the slowest call; the official clients give up after a minute otherwise. */
const options = { timeout: 120_000 };

/** A form is filled in; what is no form is agreed to. */
const accept = (params: object): ElicitResult => {
  if (!("requestedSchema" in params)) return { action: "accept" };
  const content = leastArguments(params.requestedSchema) as ElicitResult["content"];
  return { action: "accept", content: { name: "Ada", ...content } };
};
const message = {
  role: "assistant" as const,
  model: "m",
  content: { type: "text" as const, text: "Paris" },
};
const roots = { roots: [{ uri: "file:///client", name: "client" }] };

/** The official client of the older revisions. */
export async function connectV1(command: Command): Promise<RealClient> {
  const client = new Client1(clientInfo, { capabilities });
  const seen: RealClient["seen"] = { updated: [], toolChanges: 0, asked: [] };
  client.setRequestHandler(ElicitRequestSchema, ({ method, params }) =>
    noted(seen, method, accept(params)),
  );
  client.setRequestHandler(CreateMessageRequestSchema, ({ method }) =>
    noted(seen, method, message),
  );
  client.setRequestHandler(ListRootsRequestSchema, ({ method }) => noted(seen, method, roots));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    seen.updated.push(params.uri);
  });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    seen.toolChanges += 1;
  });
  await client.connect(new Stdio1({ ...command, stderr: "ignore" }));
  return {
    seen,
    listTools: async () => (await client.listTools({}, options)).tools,
    async callTool(name, args, more) {
      const params = { name, arguments: args };
      return (await client.callTool(params, undefined, { ...options, ...more })) as CalledResult;
    },
    listResources: async () => (await client.listResources({}, options)).resources,
    readResource: (uri) => client.readResource({ uri }, options),
    listTemplates: async () =>
      (await client.listResourceTemplates({}, options)).resourceTemplates.map(
        (each) => each.uriTemplate,
      ),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }, options),
    complete: async (name, argument, value) =>
      (await client.complete(completionOf(name, argument, value), options)).completion.values,
    listPrompts: async () =>
      (await client.listPrompts({}, options)).prompts.map((each) => each.name),
    subscribe: async (uri) => void (await client.subscribeResource({ uri }, options)),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The official client of 2026-07-28. */
export async function connectV2(command: Command): Promise<RealClient> {
  const versionNegotiation = { mode: { pin: "2026-07-28" } };
  const client = new Client2(clientInfo, { capabilities, versionNegotiation });
  const seen: RealClient["seen"] = { updated: [], toolChanges: 0, asked: [] };
  client.setRequestHandler("elicitation/create", ({ method, params }) =>
    noted(seen, method, accept(params)),
  );
  client.setRequestHandler("sampling/createMessage", ({ method }) => noted(seen, method, message));
  client.setRequestHandler("roots/list", ({ method }) => noted(seen, method, roots));
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    seen.updated.push(params.uri);
  });
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    seen.toolChanges += 1;
  });
  await client.connect(new Stdio2({ ...command, stderr: "ignore" }));
  const always = { ...options, cacheMode: "refresh" as const };
  return {
    seen,
    listTools: async () => (await client.listTools({}, always)).tools,
    async callTool(name, args, more) {
      const params = { name, arguments: args };
      return (await client.callTool(params, { ...options, ...more })) as CalledResult;
    },
    listResources: async () => (await client.listResources({}, always)).resources,
    readResource: (uri) => client.readResource({ uri }, always),
    listTemplates: async () =>
      (await client.listResourceTemplates({}, always)).resourceTemplates.map(
        (each) => each.uriTemplate,
      ),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }, options),
    complete: async (name, argument, value) =>
      (await client.complete(completionOf(name, argument, value), options)).completion.values,
    listPrompts: async () =>
      (await client.listPrompts({}, always)).prompts.map((each) => each.name),
    async subscribe(uri) {
      await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function completionOf(
  name: string,
  argument: string,
  value: string,
): { ref: { type: "ref/prompt"; name: string }; argument: { name: string; value: string } } {
  return { ref: { type: "ref/prompt", name }, argument: { name: argument, value } };
}

function noted<Answer>(seen: RealClient["seen"], method: string, answer: Answer): Answer {
  seen.asked.push(method);
  return answer;
}
