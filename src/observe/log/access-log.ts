import { Flood } from "../../base/flood.ts";
import {
  accessLogEndMsMax,
  accessLogFlushMs,
  accessLogLinesWaitingMax,
  accessLogRefusalsMax,
  auditRefusalWindowMs,
  shownNameCharsMax,
} from "../../base/limits.ts";
import { type LineFile, LineLog } from "../../base/line-log.ts";
import { escapeJson } from "../../base/unsafe-characters.ts";
import type {
  CallObserver,
  ObservedRequest,
  RefusedHttpRequest,
  RequestEnd,
} from "../../calls/call-observer.ts";
import { parseTraceparent } from "../../protocol/headers.ts";

/** Writes a JSON line about every request and every refusal; nothing of arguments and results. Refusals are bounded in rate. */
export class AccessLog implements CallObserver, AsyncDisposable {
  readonly #log: LineLog;
  readonly #refusals: Flood;

  /** @param warn told once that nothing can be written */
  constructor(file: LineFile, warn: (message: string) => void) {
    this.#log = new LineLog({
      file,
      warn,
      name: "access log",
      flushMs: accessLogFlushMs,
      linesWaitingMax: accessLogLinesWaitingMax,
    });
    this.#refusals = new Flood({
      max: accessLogRefusalsMax,
      windowMs: auditRefusalWindowMs,
      onMore: (more) => this.#add({ time: timeText(Date.now()), outcome: "refused", more }),
    });
  }

  /** Lines that could not be written. */
  get lost(): number {
    return this.#log.lostInAll;
  }

  began(): void {}

  ended(request: ObservedRequest, { outcome, ms, bytes }: RequestEnd): void {
    const { facts, begunAt, server } = request;
    const { principal, clientName, address, method, name } = facts;
    const isCall = method === "tools/call";
    this.#add({
      time: timeText(begunAt),
      principal,
      client: shown(clientName),
      address,
      method: shown(method),
      tool: isCall ? shown(request.tool ?? name) : undefined,
      server,
      replica: request.replica,
      outcome,
      ms: Math.round(ms * 10) / 10,
      bytes,
      trace: traceIdOf(request),
    });
  }

  refused({ status, address, principal, tool }: RefusedHttpRequest): void {
    if (!this.#refusals.take()) return;
    const time = timeText(Date.now());
    this.#add({ time, principal, address, tool: shown(tool), outcome: `refused:${status}` });
  }

  /** Writes pending lines, but does not wait long for a disk or a pipe that does not answer. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#refusals[Symbol.dispose]();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, accessLogEndMsMax);
    await Promise.race([this.#log.flush(), promise]);
    clearTimeout(timer);
  }

  #add(fields: Readonly<Record<string, unknown>>): void {
    this.#log.add(() => escapeJson(JSON.stringify(fields)));
  }
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

/** A text of a client or an MCP server. */
function shown(text: string | undefined): string | undefined {
  return text?.slice(0, shownNameCharsMax);
}

/** That of the own span, else the one that the client brought. */
function traceIdOf({ ownTraceparent, facts }: ObservedRequest): string | undefined {
  const { traceparent, outerTraceparent } = facts;
  const context =
    parseTraceparent(ownTraceparent) ??
    parseTraceparent(traceparent) ??
    parseTraceparent(outerTraceparent);
  return context?.traceId;
}
