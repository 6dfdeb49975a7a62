import { randomHex, sha256Hex } from "../../base/digests.ts";
import { shownNameCharsMax } from "../../base/limits.ts";
import { escapeName } from "../../base/unsafe-characters.ts";
import type { CallObserver, ObservedRequest, RequestEnd } from "../../calls/call-observer.ts";
import { encodeTraceparent, parseTraceparent, type TraceContext } from "../../protocol/headers.ts";
import type { AttributeValue, Span } from "./otlp-json.ts";

interface OpenSpan {
  readonly own: TraceContext;
  readonly parentSpanId: string | undefined;
  /** The context of the HTTP request, where the message in it has another. */
  readonly link: TraceContext | undefined;
}

/**
 * Makes a span of every request, by the semantic conventions for MCP (OpenTelemetry GenAI semantic conventions 0.1.0). It continues
 * the trace of the client, which says too whether it is recorded. Nothing of arguments, URIs and results is in a span.
 */
export class SpanRecorder implements CallObserver {
  readonly #add: (span: Span) => void;
  readonly #open = new WeakMap<ObservedRequest, OpenSpan>();

  /** @param add takes a span that has ended; must not wait */
  constructor(add: (span: Span) => void) {
    this.#add = add;
  }

  began(request: ObservedRequest): void {
    const inner = parseTraceparent(request.facts.traceparent);
    const outer = parseTraceparent(request.facts.outerTraceparent);
    const parent = inner ?? outer;
    const own: TraceContext = {
      traceId: parent?.traceId ?? randomHex(16),
      spanId: randomHex(8),
      isSampled: parent?.isSampled ?? true,
    };
    const link = inner === undefined ? undefined : outer;
    this.#open.set(request, { own, parentSpanId: parent?.spanId, link });
    request.ownTraceparent = encodeTraceparent(own);
  }

  ended(request: ObservedRequest, end: RequestEnd): void {
    const open = this.#open.get(request);
    if (open?.own.isSampled !== true) return;
    const { own, parentSpanId, link } = open;
    const { facts, begunAt, tool } = request;
    const isError = end.outcome !== "ok";
    this.#add({
      traceId: own.traceId,
      spanId: own.spanId,
      parentSpanId,
      // A name that is not known to be one of a tool is the client's, and may be any.
      name: tool === undefined ? shown(facts.method) : `${shown(facts.method)} ${shown(tool)}`,
      startMs: begunAt,
      endMs: begunAt + end.ms,
      attributes: attributesOf(request, end),
      isError,
      links: link === undefined ? [] : [{ traceId: link.traceId, spanId: link.spanId }],
    });
  }

  refused(): void {}
}

function attributesOf(
  { facts, tool, server }: ObservedRequest,
  { outcome, bytes }: RequestEnd,
): Readonly<Record<string, AttributeValue>> {
  const { method, clientId, principal, version, name, id, address } = facts;
  const isCall = method === "tools/call";
  const code = /^error:(.*)$/.exec(outcome)?.[1];
  const session = /^session:(.*)$/.exec(clientId)?.[1];
  return {
    "mcp.method.name": shown(method),
    "mcp.protocol.version": shown(version),
    "mcp.session.id": hashed(session),
    "jsonrpc.request.id": shown(String(id)),
    "gen_ai.operation.name": isCall ? "execute_tool" : undefined,
    "gen_ai.tool.name": isCall ? shown(tool ?? name) : undefined,
    "gen_ai.prompt.name": method === "prompts/get" ? shown(name) : undefined,
    "error.type": outcome === "ok" ? undefined : (code ?? outcome),
    "rpc.response.status_code": code,
    "network.transport": "tcp",
    "network.protocol.name": "http",
    "client.address": address,
    "enduser.pseudo.id": hashed(principal),
    "scorpiox.upstream.server": server,
    "scorpiox.reply.bytes": bytes,
  };
}

function shown(text: string): string;
function shown(text: string | undefined): string | undefined;
function shown(text: string | undefined): string | undefined {
  return text === undefined ? undefined : escapeName(text.slice(0, shownNameCharsMax));
}

/** The id of a session is a key to it, and that of a principal may be an address of a person. */
function hashed(text: string | undefined): string | undefined {
  return text === undefined ? undefined : sha256Hex(text).slice(0, 16);
}
