import {
  type CallObserver,
  ObservedRequest,
  type RefusedHttpRequest,
  type RequestEnd,
  type RequestFacts,
} from "../../src/calls/call-observer.ts";

/** Keeps what it is told. */
export class RecordingObserver implements CallObserver {
  readonly begun: ObservedRequest[] = [];
  readonly ends: { readonly request: ObservedRequest; readonly end: RequestEnd }[] = [];
  readonly refusals: RefusedHttpRequest[] = [];

  refused(request: RefusedHttpRequest): void {
    this.refusals.push(request);
  }

  began(request: ObservedRequest): void {
    this.begun.push(request);
  }

  ended(request: ObservedRequest, end: RequestEnd): void {
    this.ends.push({ request, end });
  }

  /** Each end in a line: principal, client, method, tool, outcome, and whether there were bytes. */
  get lines(): string[] {
    return this.ends.map(({ request: { facts, tool }, end }) =>
      [
        facts.principal,
        facts.clientName,
        facts.method,
        tool ?? facts.name,
        end.outcome,
        end.bytes > 0,
      ].join(" "),
    );
  }
}

/** The facts of a call, except for those given. */
export function factsOf(facts: Partial<RequestFacts> = {}): RequestFacts {
  return {
    principal: "token:laptop",
    clientId: "session:abc",
    clientName: "test",
    address: "127.0.0.1",
    version: "2025-11-25",
    method: "tools/call",
    id: 1,
    name: "Echo",
    traceparent: undefined,
    outerTraceparent: undefined,
    ...facts,
  };
}

/** A request that began and ended before these observers. */
export function observed(
  observer: CallObserver,
  facts: Partial<RequestFacts> = {},
  target: { readonly tool?: string; readonly server?: string } = { tool: "Echo" },
  reply: readonly [text: string | undefined, code?: number] = ['{"result":{}}'],
): ObservedRequest {
  const request = new ObservedRequest(observer, factsOf(facts));
  request.tool = target.tool;
  request.server = target.server;
  request.answered(...reply);
  return request;
}
