import { describe, expect, test } from "bun:test";

import { run } from "./fake-io.ts";

const defaults = {
  host: "127.0.0.1",
  port: 8808,
  path: "/mcp",
  tokenFile: undefined,
  hasMadeTokens: false,
  keySetUrl: undefined,
  issuer: undefined,
  audience: undefined,
  resource: undefined,
  groupsClaim: undefined,
  toolScopes: undefined,
  trustsCommands: false,
  hasCommandNetwork: false,
  sharesCache: false,
  allowsAnyLocalUser: false,
  allowedOrigins: [],
  allowedHosts: [],
  tlsCertificate: undefined,
  tlsKey: undefined,
  fleetName: undefined,
  fence: "kill" as const,
  metrics: undefined,
  accessLog: undefined,
  otlpUrl: undefined,
  isReadyStrict: false,
  drainMs: 8_000,
  ssePair: undefined,
};

const sse = { ssePair: { stream: "/sse", messages: "/messages" } };
const own = { metrics: { host: "127.0.0.1", port: 9090 } };

describe("serve --http", () => {
  test.each<[string, object]>([
    ["--http 127.0.0.1:8808", {}],
    ["--http 8808", {}],
    ["--http localhost:0", { host: "localhost", port: 0 }],
    ["--http [::1]:1", { host: "::1", port: 1 }],
    ["--http 0.0.0.0:65535 --token-file t", { host: "0.0.0.0", port: 65535, tokenFile: "t" }],
    ["--http 8808 --path /a/b.c", { path: "/a/b.c" }],
    [
      "--http 8808 --allow-origin https://a.example --allow-origin https://b.example --allow-host c",
      { allowedOrigins: ["https://a.example", "https://b.example"], allowedHosts: ["c"] },
    ],
    [
      "--http 8808 --jwks j --issuer i --audience a --resource r --groups-claim g --tool-scopes *=x",
      {
        keySetUrl: "j",
        issuer: "i",
        audience: "a",
        resource: "r",
        groupsClaim: "g",
        toolScopes: "*=x",
      },
    ],
    ["--http 8808 --token-file t --resource r", { tokenFile: "t", resource: "r" }],
    ["--http 8808 --metrics", { metrics: "here" }],
    ["--http 8808 --metrics 9090", { metrics: { host: "127.0.0.1", port: 9090 } }],
    ["--http 8808 --metrics=[::1]:0 --sse", { ...sse, metrics: { host: "::1", port: 0 } }],
    ["--http 8808 --metrics 9090 --path /metrics", { ...own, path: "/metrics" }],
    ["--http 8808 --access-log -", { accessLog: "-" }],
    ["--http 8808 --access-log a/b.log", { accessLog: "a/b.log" }],
    ["--http 8808 --otlp http://127.0.0.1:4318", { otlpUrl: "http://127.0.0.1:4318" }],
    ["--http 8808 --ready-strict", { isReadyStrict: true }],
    ["--http 8808 --drain 30s", { drainMs: 30_000 }],
    ["--http 8808 --drain 0", { drainMs: 0 }],
    ["--http 8808 --drain 250ms", { drainMs: 250 }],
    ["--http 8808 --drain 60m", { drainMs: 3_600_000 }],
    ["--http 8808 --path /metrics", { path: "/metrics" }],
    ["--http 8808 --path /healthz/mcp", { path: "/healthz/mcp" }],
    ["--http 8808 --token-file t --tool-scopes *=x", { tokenFile: "t", toolScopes: "*=x" }],
    ["--http 8808 --allow-any-local-user", { allowsAnyLocalUser: true }],
    ["--http 8808 --fleet a --fence detach", { fleetName: "a", fence: "detach" }],
    ["--http 8808 --sse", { ssePair: { stream: "/sse", messages: "/messages" } }],
    [
      "--http 8808 --sse --path /a/mcp",
      { path: "/a/mcp", ssePair: { stream: "/a/sse", messages: "/a/messages" } },
    ],
    [
      "--http 8808 --sse --path /mcp/",
      { path: "/mcp/", ssePair: { stream: "/mcp/sse", messages: "/mcp/messages" } },
    ],
    ["--http 8808 --tls-cert c --tls-key k", { tlsCertificate: "c", tlsKey: "k" }],
  ])("serve %s", async (flags, settings) => {
    const { exitCode, stderr, servedHttp } = await run(["serve", ...flags.split(" ")]);
    expect([exitCode, stderr, servedHttp]).toEqual([0, "", { ...defaults, ...settings }]);
  });

  test.each([
    ["--http nowhere", "--http nowhere is not an address"],
    ["--http 80 --token-file t --allow-any-local-user", "is for a server without tokens"],
    ["--http 80 --jwks j --allow-any-local-user", "is for a server without tokens"],
    ["--allow-any-local-user", "--allow-any-local-user needs --http"],
    ["--http 127.0.0.1:65536", "is not an address"],
    ["--http ::1:80", "is not an address"],
    ["--http http://127.0.0.1:80", "is not an address"],
    ["--http 127.0.0.1:80/mcp", "is not an address"],
    ["--http 80 --metrics nowhere", "--metrics nowhere is not an address"],
    ["--http 80 --metrics --path /metrics", "--path /metrics is taken by --metrics"],
    ["--http 80 --metrics --path /status", "--path /status is taken by --metrics"],
    ["--http 80 --drain soon", "--drain soon is not a time"],
    ["--http 80 --drain 61m", "--drain 61m is not a time: write seconds or minutes"],
    ["--http 80 --path mcp", "--path mcp is not a path"],
    ["--http 80 --path //mcp", "is not a path"],
    ["--http 80 --path /m?x", "is not a path"],
    ["--http 80 --path /a/../mcp", "is not a path"],
    ["--http 80 --path /./mcp", "is not a path"],
    ["--http 80 --path /healthz", "--path /healthz is taken by the health check"],
    ["--http 80 --path /readyz", "--path /readyz is taken by the health check"],
    ["--http 80 --path /metrics --metrics", "--path /metrics is taken by --metrics"],
    ["--http 80 --path /.well-known", "is taken by the documents for authorization"],
    ["--http 80 --path /.well-known/mcp", "is taken by the documents for authorization"],
    ["--http 80 --tool-scopes *=x", '--tool-scopes needs --token-file, --jwks or "token add"'],
    ["--http 80 --audience a", "--audience needs --jwks URL"],
    ["--http 80 --issuer i", "--issuer needs --jwks URL"],
    ["--http 80 --tls-key k", "--tls-cert and --tls-key must be given together"],
    ["--http 80 --tls-cert c", "--tls-cert and --tls-key must be given together"],
    ["--http 80 --sse --path /sse", "--path /sse is served by --sse"],
    ["--http 80 --sse --path /a/messages", "--path /a/messages is served by --sse"],
    ["--sse", "--sse needs --http ADDRESS"],
    ["--token-file t", "--token-file needs --http ADDRESS"],
    ["--path /x", "--path needs --http ADDRESS"],
  ])("serve %s is refused by name", async (flags, message) => {
    const { exitCode, stderr, served } = await run(["serve", ...flags.split(" ")]);
    expect([exitCode, served]).toEqual([2, undefined]);
    expect(stderr).toContain(message);
  });
});
