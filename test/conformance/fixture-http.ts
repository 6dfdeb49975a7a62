import { Authorizer } from "../../src/server/auth/authorizer.ts";
import { httpRequestsMax, messageLineBytesMax } from "../../src/base/limits.ts";
import { HttpEndpoint } from "../../src/server/http/http-endpoint.ts";
import { Readiness } from "../../src/server/http/operator-pages.ts";
import type { ClientProfile } from "../../src/server/connection/session.ts";
import { RequestGuard } from "../../src/server/transport/http/request-guard.ts";
import type { FixtureReplica } from "./fixture-fleet.ts";
import { createFixtureContext, fixtureLimits } from "./fixture-features.ts";

export interface HttpFixture extends AsyncDisposable {
  readonly url: string;
  readonly endpoint: HttpEndpoint;
}

/** The fixture on the product's HTTP endpoint, open to whoever is on this machine. Port 0 takes a free one. */
export async function startHttpFixture(port = 0, sharedUrl?: string): Promise<HttpFixture> {
  const replica = sharedUrl === undefined ? undefined : await openReplica(sharedUrl);
  const authorizer = new Authorizer({ kind: "open" });
  const endpoint = new HttpEndpoint({
    ...replica?.fixture.forEndpoint,
    server: replica?.context ?? createFixtureContext(),
    path: "/mcp",
    guard: new RequestGuard({ allowedHosts: [], allowedOrigins: [] }),
    health: {
      readiness: new Readiness(),
      guard: new RequestGuard({ allowedHosts: [], allowedOrigins: [] }),
      isStrict: false,
    },
    authorize: (request) => authorizer.authorize(request),
    refuseTool: () => undefined,
    documents: new Map(),
    sessionProfile: ({ id }) => profile(`session:${id}`),
    principalProfile: ({ id }) => profile(`principal:${id}`),
    onEnd: () => {},
    requestsMax: httpRequestsMax,
  });
  replica?.fixture.join(endpoint);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    fetch: endpoint.fetch,
    maxRequestBodySize: messageLineBytesMax,
    development: false,
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    endpoint,
    async [Symbol.asyncDispose]() {
      endpoint.close();
      await server.stop(true);
    },
  };
}

/** The other replicas have the keys of `requestState` too. */
async function openReplica(sharedUrl: string): Promise<FixtureReplica> {
  const { FixtureFleet } = await import("./fixture-fleet.ts");
  return FixtureFleet.open(sharedUrl, ({ secret }) =>
    createFixtureContext(() => Promise.resolve(secret.stateKeys())),
  );
}

function profile(id: string): ClientProfile {
  return { id, limitsFor: () => fixtureLimits, fallbackDir: "/" };
}
