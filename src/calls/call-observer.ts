import { isObject } from "../base/values.ts";
import type { RequestId } from "../protocol/json-rpc.ts";

/** How a request ended. `error`: a JSON-RPC error with its code. */
export type RequestOutcome = "ok" | "tool_error" | "cancelled" | `error:${number}`;

/** The arrival of a request. Texts are those of the client: neither cut nor escaped. */
export interface RequestFacts {
  /** The id of the principal; undefined before a session has one. */
  readonly principal: string | undefined;
  /** See `ClientContext.id`. */
  readonly clientId: string;
  readonly clientName: string | undefined;
  /** The client's address, from the connection. */
  readonly address: string | undefined;
  /** The revision in which the request was made; undefined when there was none yet. */
  readonly version: string | undefined;
  readonly method: string;
  readonly id: RequestId;
  /** `params.name`: the tool or prompt that was requested. */
  readonly name: string | undefined;
  /** `traceparent` of its `_meta`, unchecked. */
  readonly traceparent: unknown;
  /** `traceparent` of the HTTP request, unchecked. */
  readonly outerTraceparent: string | undefined;
}

export interface RequestEnd {
  readonly outcome: RequestOutcome;
  readonly ms: number;
  /** Size of the reply as JSON text; 0 when there was none. */
  readonly bytes: number;
}

/** An HTTP request that was answered without reaching a method: its token, host, session or size was refused. */
export interface RefusedHttpRequest {
  readonly status: number;
  readonly address: string | undefined;
  readonly principal: string | undefined;
  /** The tool that was requested, where a scope was missing for it. */
  readonly tool: string | undefined;
}

/**
 * Watches all requests of a server: the access log, metrics and traces. Must not throw and must not wait. It learns nothing about
 * arguments and results.
 */
export interface CallObserver {
  refused(request: RefusedHttpRequest): void;
  began(request: ObservedRequest): void;
  /** Called once for each that began; for a call that became an MCP task when that task ends. */
  ended(request: ObservedRequest, end: RequestEnd): void;
}

/** One request from its arrival to its end; the gate adds where a call goes. */
export class ObservedRequest {
  readonly facts: RequestFacts;
  /** Milliseconds since 1970. */
  readonly begunAt = Date.now();
  /** The `traceparent` of its own span, for those that it asks in turn; set by the observer that traces. */
  ownTraceparent: string | undefined;
  /** The tool, under its own name; undefined as long as it is not known that there is one. */
  tool: string | undefined;
  /** The upstream server that it goes to. */
  server: string | undefined;
  /** The replica that performs it in the place of this one, and observes it too. */
  replica: string | undefined;
  readonly #observer: CallObserver;
  readonly #startedAt = performance.now();
  #goesOn = false;
  #hasEnded = false;

  constructor(observer: CallObserver, facts: RequestFacts) {
    this.#observer = observer;
    this.facts = facts;
    observer.began(this);
  }

  /** The call is answered now and ends later, as an MCP task. */
  goOn(): void {
    this.#goesOn = true;
  }

  /** @param text the reply; undefined when there is none. @param code that of its error, if it is one */
  answered(text: string | undefined, code?: number): void {
    if (this.#goesOn) return;
    if (text === undefined) return this.#end("cancelled", 0);
    const bytes = Buffer.byteLength(text);
    if (code !== undefined) return this.#end(`error:${code}`, bytes);
    this.#end(
      this.#outcomeOf(text, (message) => isObject(message) && message.result),
      bytes,
    );
  }

  /** The MCP task has ended. @param json its result, undefined when it has none; @param code that of its error */
  taskEnded(json: string | undefined, code?: number): void {
    if (code !== undefined) return this.#end(`error:${code}`, 0);
    if (json === undefined) return this.#end("cancelled", 0);
    this.#end(
      this.#outcomeOf(json, (result) => result),
      Buffer.byteLength(json),
    );
  }

  /** Parses only what may say that the tool failed: the reply is JSON text, whose strings escape quotation marks. */
  #outcomeOf(text: string, resultIn: (parsed: unknown) => unknown): RequestOutcome {
    if (this.facts.method !== "tools/call" || !text.includes('"isError":true')) return "ok";
    const result = resultIn(JSON.parse(text));
    return isObject(result) && result.isError === true ? "tool_error" : "ok";
  }

  #end(outcome: RequestOutcome, bytes: number): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#observer.ended(this, { outcome, ms: performance.now() - this.#startedAt, bytes });
  }
}
