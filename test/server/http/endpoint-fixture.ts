import type { Principal } from "../../../src/server/auth/principal.ts";
import type { CallObserver } from "../../../src/calls/call-observer.ts";
import { Changes } from "../../../src/calls/features.ts";
import { HttpEndpoint, type HttpEndpointParts } from "../../../src/server/http/http-endpoint.ts";
import { type HealthParts, Readiness } from "../../../src/server/http/operator-pages.ts";
import { ServerContext } from "../../../src/server/context/server-context.ts";
import type { ClientProfile } from "../../../src/server/connection/session.ts";
import { RequestGuard } from "../../../src/server/transport/http/request-guard.ts";
import { FakeTools } from "../harness.ts";

export interface EndpointFixture extends Disposable {
  readonly endpoint: HttpEndpoint;
  readonly tools: FakeTools;
  /** Clients whose session has ended. */
  readonly endedIds: readonly string[];
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
}

/** An endpoint without a port. Whom a request speaks for is what its `Authorization` says. */
export function startEndpoint({
  observer,
  ...parts
}: Partial<HttpEndpointParts> & { readonly observer?: CallObserver } = {}): EndpointFixture {
  const tools = new FakeTools();
  const endedIds: string[] = [];
  const endpoint = new HttpEndpoint({
    server: new ServerContext({
      features: { tools, changes: new Changes(), changing: new Set() },
      instructions: "Use the tools.",
      stateKey: () => Promise.resolve(new Uint8Array(32)),
      observer,
    }),
    path: "/mcp",
    guard: new RequestGuard({ allowedHosts: [], allowedOrigins: ["https://app.example.com"] }),
    health: openHealth(),
    authorize: ({ headers }) => ({ kind: "ok", principal: principalOf(headers) }),
    refuseTool: () => undefined,
    documents: new Map(),
    sessionProfile: ({ id }) => profile(`session:${id}`),
    principalProfile: ({ id }) => profile(`principal:${id}`),
    onEnd: (id) => endedIds.push(id),
    requestsMax: 10,
    ...parts,
  });
  return {
    endpoint,
    tools,
    endedIds,
    fetch: async (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has("host")) headers.set("host", "localhost");
      return endpoint.fetch(new Request(`http://localhost${path}`, { ...init, headers }));
    },
    [Symbol.dispose]: () => endpoint.close(),
  };
}

/** Health of a server whose parts say nothing. */
export function openHealth(isStrict = false): HealthParts {
  const guard = new RequestGuard({ allowedHosts: [], allowedOrigins: [], takesAddresses: true });
  return { readiness: new Readiness(), guard, isStrict };
}

/** The header names the principal, and its scopes after that. */
function principalOf(headers: Headers): Principal {
  const [id = "local", ...scopes] = (headers.get("authorization") ?? "local").split(" ");
  return { id, scopes: scopes.length === 0 ? undefined : new Set(scopes) };
}

function profile(id: string): ClientProfile {
  return {
    id,
    limitsFor: () => ({ answerMs: 1_000, resultCharsMax: 1_000 }),
    fallbackDir: "/fallback",
  };
}
