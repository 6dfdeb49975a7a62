import { expect, test } from "bun:test";
import {
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from "@modelcontextprotocol/client";

import { type Auth, createAuth } from "../../../src/server/auth/create-auth.ts";

/** Does with our answers what any endpoint would. */
async function answer(request: Request, { authorizer, metadata }: Auth): Promise<Response> {
  if (metadata?.paths.includes(new URL(request.url).pathname))
    return Response.json(metadata.document);
  const authorization = await authorizer.authorize(request);
  if (authorization.kind === "ok") return new Response("in");
  const { body, status, headers } = authorization;
  return new Response(body, { status, headers });
}

test("the official client reads our challenge and finds the metadata, with and without it", async () => {
  // The server is there first, because its port is part of the resource.
  let auth: Auth | undefined;
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => (auth === undefined ? Response.error() : answer(request, auth)),
  });
  const resource = new URL("/mcp", server.url).href;
  const issuer = "https://as.example";
  const toolScopes = "Bash=tools:exec";
  auth = await createAuth({ keySetUrl: `${issuer}/keys`, issuer, resource, toolScopes }, () => {});

  const params = extractWWWAuthenticateParams(await fetch(resource, { method: "POST" }));
  const resourceMetadataUrl = new URL("/.well-known/oauth-protected-resource/mcp", resource);
  expect(params).toEqual({ resourceMetadataUrl, scope: "tools:exec" });
  const document = auth.metadata?.document as never;
  const options = { resourceMetadataUrl };
  expect(await discoverOAuthProtectedResourceMetadata(resource, options)).toEqual(document);
  expect(await discoverOAuthProtectedResourceMetadata(resource)).toEqual(document);
});
