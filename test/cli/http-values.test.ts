import { describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";

import { httpFlags, httpKeyOf } from "../../src/cli/http-flags.ts";
import { TempTree } from "../config/temp-tree.ts";
import { run, runIn } from "./fake-io.ts";

const file = "home/.scorpiox/http.toml";

const whole = `
listen = 8809
path = "/file"
token_file = "tokens.txt"
jwks = "https://keys.example/"
issuer = "https://issuer.example"
resource = "https://mcp.example/mcp"
audience = "mcp"
groups_claim = "teams"
tool_scopes = "*=file"
allow_origin = ["https://a.example", "https://b.example"]
allow_host = ["a.example"]
sse = true
metrics = true
fleet = "team"
fence = "detach"
access_log = "access.log"
otlp = "http://127.0.0.1:4318"
ready_strict = true
drain = "30s"
tls_cert = "~/cert.pem"
tls_key = "/etc/key.pem"
commands = "trusted"
commands_network = true
share_cache = true
`;

describe("serve --http", () => {
  test("takes every setting from http.toml, paths beside it", async () => {
    using tree = new TempTree({ [file]: whole });
    const { exitCode, stderr, servedHttp } = await runIn(tree, ["serve", "--http"]);
    expect([exitCode, stderr, servedHttp]).toEqual([
      0,
      "",
      {
        host: "127.0.0.1",
        port: 8809,
        path: "/file",
        tokenFile: tree.path("home/.scorpiox/tokens.txt"),
        hasMadeTokens: false,
        keySetUrl: "https://keys.example/",
        issuer: "https://issuer.example",
        audience: "mcp",
        resource: "https://mcp.example/mcp",
        groupsClaim: "teams",
        toolScopes: "*=file",
        allowsAnyLocalUser: false,
        trustsCommands: true,
        hasCommandNetwork: true,
        sharesCache: true,
        allowedOrigins: ["https://a.example", "https://b.example"],
        allowedHosts: ["a.example"],
        tlsCertificate: tree.path("home/cert.pem"),
        tlsKey: "/etc/key.pem",
        fleetName: "team",
        fence: "detach",
        metrics: "here",
        accessLog: tree.path("home/.scorpiox/access.log"),
        otlpUrl: "http://127.0.0.1:4318",
        isReadyStrict: true,
        drainMs: 30_000,
        ssePair: { stream: "/sse", messages: "/messages" },
      },
    ]);
    const named = Object.keys(httpFlags).filter((flag) => whole.includes(`\n${httpKeyOf(flag)} =`));
    const others = Object.keys(httpFlags).filter((flag) => !named.includes(flag));
    // It contradicts tokens.
    expect(others).toEqual(["allow-any-local-user"]);
  });

  test.each<[args: string, env: Record<string, string>, toml: string, settings: object]>([
    ["--http", {}, "", { host: "127.0.0.1", port: 8808, path: "/mcp" }],
    ["--http 1", {}, "listen = 2", { port: 1 }],
    ["--http=1", { HTTP_LISTEN: "3" }, "listen = 2", { port: 1 }],
    ["--http", { HTTP_LISTEN: "3" }, "listen = 2", { port: 3 }],
    ["--http", { HTTP_LISTEN: "3", SCORPIOX_HTTP_LISTEN: "4" }, "", { port: 4 }],
    ["--http", { HTTP_LISTEN: "" }, "listen = 2", { port: 2 }],
    ["--http --metrics", {}, "listen = 2", { port: 2, metrics: "here" }],
    ["--http", { HTTP_METRICS: "no" }, "metrics = true", { metrics: "here" }],
    ["--http", { HTTP_METRICS: "on" }, "metrics = false", { metrics: "here" }],
    ["--http", {}, "metrics = 9090", { metrics: { host: "127.0.0.1", port: 9090 } }],
    ["--http", {}, "metrics = false", { metrics: undefined }],
    ["--http", { HTTP_METRICS: "[::1]:1" }, "", { metrics: { host: "::1", port: 1 } }],
    ["--http", {}, 'access_log = "-"\ndrain = 5', { accessLog: "-", drainMs: 5_000 }],
    ["--http", {}, "allow_any_local_user = true", { allowsAnyLocalUser: true }],
    [
      "--http --allow-host a --allow-host b",
      { HTTP_ALLOW_ORIGIN: "https://a.example, https://b.example" },
      'allow_host = ["c"]\nallow_origin = ["https://c.example"]',
      { allowedHosts: ["a", "b"], allowedOrigins: ["https://a.example", "https://b.example"] },
    ],
    [
      "--http",
      {},
      'token_file = "t"\n[tool_scopes]\nBash = "tools:exec"\n"mcp__github__*" = "gh:use|gh:all"',
      { toolScopes: "Bash=tools:exec,mcp__github__*=gh:use|gh:all" },
    ],
    ["--http", { HTTP_PROXY: "http://proxy.example", HTTP_HOSTNAME: "x" }, "", { port: 8808 }],
  ])("serve %s with %j and %j", async (args, env, toml, settings) => {
    const { exitCode, stderr, servedHttp } = await run(["serve", ...args.split(" ")], {
      env,
      files: { [file]: toml },
    });
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(servedHttp).toMatchObject(settings);
  });

  test.each<[env: Record<string, string>, toml: string, message: string]>([
    [{}, "token-file = 1", `${file}: there is no key "token-file". Did you mean token_file?`],
    [{}, "[listen]\nport = 1", `${file}: listen must be a text in quotes.`],
    [{}, "path = 1.5", `${file}: path must be a text in quotes.`],
    [{}, 'path = ""', `${file}: path must be a text in quotes.`],
    [{}, "tool_scopes = {Bash = 1}", `${file}: tool_scopes must have texts in quotes.`],
    [{}, 'metrics = "on"', `metrics in ${file} = on is not an address`],
    [{}, 'allow_host = "a"', `${file}: allow_host must be a list of texts, such as ["a", "b"].`],
    [{}, "allow_host = [1]", `${file}: allow_host must be a list of texts, such as ["a", "b"].`],
    [{}, "path = x", `${file}:1 is not valid TOML: invalid value; strings must be quoted.`],
    [{}, 'path = "x"', `path in ${file} = x is not a path: write it like /mcp.`],
    [{}, 'issuer = "x"', `issuer in ${file} needs --jwks URL`],
    [{ HTTP_PATH: "x" }, "", "HTTP_PATH = x is not a path: write it like /mcp."],
    [{ HTTP_LISTEN: "nowhere" }, "", "HTTP_LISTEN = nowhere is not an address"],
    [{ HTTP_SSE: "perhaps" }, "", 'HTTP_SSE is "perhaps": it must be true or false.'],
    [
      { HTTP_TOKENFILE: "x" },
      "",
      "HTTP_TOKENFILE in the environment is not a setting of serve --http. Did you mean HTTP_TOKEN_FILE?",
    ],
    [
      { SCORPIOX_HTTP_NOTHING: "x" },
      "",
      "SCORPIOX_HTTP_NOTHING in the environment is not a setting of serve --http.",
    ],
    [
      { HTTP_CONFIG: "other.toml" },
      "",
      "HTTP_CONFIG names project/other.toml, which does not exist.",
    ],
    [{ HTTP_CONFIG: "/" }, "", "/ is a directory."],
  ])("refuses %j with %j by name", async (env, toml, message) => {
    const { exitCode, stderr, served } = await run(["serve", "--http"], {
      env,
      files: { [file]: toml },
    });
    expect([exitCode > 0, served]).toEqual([true, undefined]);
    expect(stderr).toContain(message);
  });

  test.each<[mode: number, isUsed: boolean]>([
    [0o600, true],
    [0o644, true],
    [0o664, false],
    [0o646, false],
  ])("reads http.toml of mode %o: %p", async (mode, isUsed) => {
    using tree = new TempTree({ [file]: "listen = 1" });
    chmodSync(tree.path(file), mode);
    const { servedHttp, stderr } = await runIn(tree, ["serve", "--http"]);
    expect(servedHttp?.port).toBe(isUsed ? 1 : undefined);
    if (!isUsed) expect(stderr).toMatch(/http\.toml (?:this file )?may be written by /);
  });

  test("HTTP_CONFIG names another file", async () => {
    const { servedHttp } = await run(["serve", "--http"], {
      env: { HTTP_CONFIG: "~/team.toml" },
      files: { [file]: "listen = 1", "home/team.toml": "listen = 2" },
    });
    expect(servedHttp?.port).toBe(2);
  });
});

test("serve without --http reads neither file nor variables", async () => {
  const input = { env: { HTTP_LISTEN: "nowhere" }, files: { [file]: "broken" } };
  const { exitCode, stderr, served, servedHttp } = await run(["serve"], input);
  expect([exitCode, stderr, servedHttp, served === undefined]).toEqual([0, "", undefined, false]);
});

test("config list --http prints settings with their sources", async () => {
  const { exitCode, stdout } = await run(["config", "list", "--http", "--show-source"], {
    env: { HTTP_PATH: "/env" },
    files: { [file]: 'path = "/file"\nmetrics = true' },
  });
  expect([exitCode, stdout]).toEqual([
    0,
    `path=/env     # environment: HTTP_PATH\nmetrics=true  # config-file: ${file}\n`,
  ]);
});
