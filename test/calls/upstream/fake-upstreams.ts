import { AppError } from "../../../src/base/errors.ts";
import { ownValue } from "../../../src/base/values.ts";
import { JsonText } from "../../../src/base/weight.ts";
import type { ToolListing } from "../../../src/protocol/tool-types.ts";
import {
  emptySnapshot,
  type ServerRights,
  type ToolEntry,
  type UpstreamSnapshot,
} from "../../../src/upstream/snapshot.ts";
import type { ServerInfo, ServerState } from "../../../src/upstream/server-state.ts";
import type {
  ControlReplyTo,
  SearchQuery,
  UpstreamCall,
  UpstreamCallEvents,
  UpstreamControl,
  UpstreamEvent,
  UpstreamReply,
  Upstreams,
} from "../../../src/upstream/upstreams.ts";
import { serverInfo } from "../../upstream/server-info.ts";

/** A call that a test plays the server of. */
export interface PlayedCall {
  readonly call: UpstreamCall;
  readonly events: UpstreamCallEvents;
  readonly signal: AbortSignal;
}

/** Other servers as a test plays them. */
export class FakeUpstreams implements Upstreams {
  snapshot: UpstreamSnapshot | undefined;
  /** What `settled` gives while there is none. */
  unheard = emptySnapshot;
  /** What `settled` waits for. */
  settling: Promise<void> = Promise.resolve();
  readonly waits: number[] = [];
  readonly calls: PlayedCall[] = [];
  readonly subscribed = new Set<string>();
  readonly ended: string[] = [];
  readonly listeners = new Set<(event: UpstreamEvent) => void>();
  argumentProblem: string | undefined;
  /** How often arguments were asked about before a call. */
  checks = 0;
  /** Which addresses can be subscribed to. */
  canSubscribe = (_uri: string): boolean => true;
  play: (played: PlayedCall) => Promise<UpstreamReply> | UpstreamReply = () => textReply("done");
  answerSearch = (query: SearchQuery): unknown => ({
    content: [{ type: "text", text: `found ${query.query}` }],
  });

  constructor(snapshot: UpstreamSnapshot | undefined = snapshotOf()) {
    this.snapshot = snapshot;
  }

  async settled(waitMs: number): Promise<UpstreamSnapshot> {
    this.waits.push(waitMs);
    await this.settling;
    return this.snapshot ?? this.unheard;
  }

  async call(
    call: UpstreamCall,
    events: UpstreamCallEvents,
    signal: AbortSignal,
  ): Promise<UpstreamReply> {
    const { argumentProblem: text } = this;
    if (text !== undefined) return { kind: "failed", reason: "invalid_arguments", text };
    const played = { call, events, signal };
    this.calls.push(played);
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => reject(cancelled()), { once: true });
    return Promise.race([promise, this.play(played)]);
  }

  checkArguments(): Promise<string | undefined> {
    this.checks++;
    return Promise.resolve(this.argumentProblem);
  }

  search(query: SearchQuery): Promise<JsonText> {
    return Promise.resolve(new JsonText(JSON.stringify(this.answerSearch(query))));
  }

  control<Asked extends UpstreamControl>(control: Asked): Promise<ControlReplyTo<Asked>> {
    const whole = (this.snapshot?.tools ?? []).map((entry) => ({
      ...entry,
      listing: entry.listing ?? listing(entry.name),
    }));
    return Promise.resolve(ownValue(control.kind === "tools" ? whole : undefined));
  }

  infoList(): Promise<readonly ServerInfo[]> {
    return Promise.resolve(this.snapshot?.servers ?? []);
  }

  subscribe(uri: string, clientId: string): Promise<boolean> {
    const can = this.canSubscribe(uri);
    if (can) this.subscribed.add(`${clientId} ${uri}`);
    return Promise.resolve(can);
  }

  unsubscribe(uri: string, clientId: string): void {
    this.subscribed.delete(`${clientId} ${uri}`);
  }

  endClient(clientId: string): void {
    this.ended.push(clientId);
  }

  listen(listener: (event: UpstreamEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  emit(event: UpstreamEvent): void {
    for (const listener of this.listeners) listener(event);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

function cancelled(): Error {
  return new AppError("cancelled", "The call was cancelled.");
}

export function textReply(text: string, more: object = {}): UpstreamReply {
  const result = { content: [{ type: "text", text }], isError: false, ...more };
  return { kind: "result", json: new JsonText(JSON.stringify(result)) };
}

export function listing(name: string, more: Partial<ToolListing> = {}): ToolListing {
  return { name, description: `It is ${name}.`, inputSchema: { type: "object" }, ...more };
}

export function tool(server: string, name: string, more: Partial<ToolEntry> = {}): ToolEntry {
  const exposed = `mcp__${server}__${name}`;
  return { name: exposed, server, tool: name, listing: listing(exposed), ...more };
}

export function rights(name: string, more: Partial<ServerRights> = {}): ServerRights {
  return {
    name,
    sampling: "deny",
    elicitation: "ask",
    roots: "client",
    timeoutMs: 600_000,
    handover: true,
    ...more,
  };
}

export function server(name: string, state: ServerState = "ready"): ServerInfo {
  return serverInfo(name, { state, pid: 1, tools: 1, starts: 1 });
}

/** Two servers with a tool each, unless `more` says otherwise. */
export function snapshotOf(more: Partial<UpstreamSnapshot> = {}): UpstreamSnapshot {
  return {
    ...emptySnapshot,
    revision: 1,
    servers: [server("files"), server("web")],
    rights: [rights("files"), rights("web")],
    tools: [tool("files", "read"), tool("web", "get")],
    ...more,
  };
}
