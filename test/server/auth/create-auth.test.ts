import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type AuthSettings, createAuth } from "../../../src/server/auth/create-auth.ts";
import { messageOf } from "../../../src/base/errors.ts";
import { AuthorizationServer } from "./authorization-server.ts";

const folder = mkdtempSync(join(tmpdir(), "create-auth-"));
afterAll(() => rmSync(folder, { recursive: true }));

const token = "0123456789abcdef";
const tokenFile = join(folder, "tokens");
writeFileSync(tokenFile, token, { mode: 0o600 });

const create = (settings: AuthSettings) =>
  createAuth(settings, (message) => {
    throw new Error(message);
  });
const request = (text?: string) => ({
  url: "/mcp",
  headers: new Headers(text === undefined ? {} : { authorization: `Bearer ${text}` }),
});

describe("createAuth()", () => {
  test("without settings everybody is the user of this machine", async () => {
    const { authorizer, toolScopes, metadata } = await create({});
    expect(authorizer.authorize(request())).toMatchObject({ principal: { id: "local" } });
    expect([toolScopes.all, metadata]).toEqual([[], undefined]);
  });

  test("with a token file there is no metadata, because there is nobody to get a token from", async () => {
    const { authorizer, metadata } = await create({ tokenFile });
    expect(authorizer.authorize(request(token))).toMatchObject({
      principal: { id: "token:default" },
    });
    expect(authorizer.authorize(request())).toMatchObject({
      status: 401,
      headers: { "www-authenticate": 'Bearer realm="scorpiox-code"' },
    });
    expect(metadata).toBeUndefined();
  });

  test("with an authorization server, tokens for the resource are taken and the metadata names it", async () => {
    await using server = await AuthorizationServer.start();
    const { authorizer, metadata } = await create({
      keySetUrl: server.keySetUrl.href,
      issuer: server.issuer,
      resource: "https://mcp.example.com/mcp",
      toolScopes: "Bash=tools:exec,*=tools:use",
    });
    const claims = server.claims("https://mcp.example.com/mcp", Date.now());
    expect(await authorizer.authorize(request(await server.sign(claims)))).toMatchObject({
      principal: { id: `jwt:${server.issuer}|alice` },
    });
    expect(authorizer.authorize(request())).toMatchObject({
      headers: {
        "www-authenticate":
          'Bearer realm="scorpiox-code", resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp", ' +
          'scope="tools:exec tools:use"',
      },
    });
    expect(metadata).toEqual({
      paths: ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"],
      document: {
        resource: "https://mcp.example.com/mcp",
        authorization_servers: [server.issuer],
        scopes_supported: ["tools:exec", "tools:use"],
        bearer_methods_supported: ["header"],
        resource_name: "scorpiox-code",
      },
    });
  });

  test("an audience of its own replaces the resource", async () => {
    await using server = await AuthorizationServer.start();
    const { authorizer } = await create({
      keySetUrl: server.keySetUrl.href,
      issuer: server.issuer,
      resource: "https://mcp.example.com/mcp",
      audience: "api://mcp",
    });
    const signed = async (aud: string) =>
      authorizer.authorize(request(await server.sign(server.claims(aud, Date.now()))));
    expect(await signed("api://mcp")).toMatchObject({ kind: "ok" });
    expect(await signed("https://mcp.example.com/mcp")).toMatchObject({ status: 401 });
  });

  test.each<[AuthSettings, string]>([
    [{ keySetUrl: "https://as.example/keys" }, "--issuer, --resource"],
    [{ issuer: "https://as.example" }, "--jwks, --resource"],
    [{ keySetUrl: "https://as.example/keys", issuer: "", resource: "https://a" }, "--issuer"],
    [{ audience: "x" }, "--jwks, --issuer, --resource"],
  ])("%j is half a configuration", async (settings, missing) => {
    const error = await create(settings).catch(messageOf);
    expect(error).toBe(`Signed tokens need --jwks, --issuer and --resource; missing: ${missing}.`);
  });
});
