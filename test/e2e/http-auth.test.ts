import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";

import { auditRefusalsMax } from "../../src/base/limits.ts";
import { AuthorizationServer } from "../server/auth/authorization-server.ts";
import { root } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { type Answer, mirrored, modernMessage, onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { fleetSize } from "./harness/test-fleet.ts";
import { isError, textOf, toolNames } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { allGone, sleepers, uniqueSeconds } from "./harness/processes.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

const laptop = "laptop-0123456789abcdef";
const reader = "reader-0123456789abcdef";
const resource = "https://mcp.example.com/mcp";

/** Static tokens and signed ones, with a scope for a tool. */
let server: HttpServer;
let issuer: AuthorizationServer;
beforeAll(async () => {
  issuer = await AuthorizationServer.start();
  const signed = [
    "--jwks",
    issuer.keySetUrl.href,
    "--issuer",
    issuer.issuer,
    "--resource",
    resource,
  ];
  server = await HttpServer.start({
    tokens: [`laptop ${laptop}`, `reader ${reader} tools:read`],
    args: [...signed, "--tool-scopes", "Bash=tools:exec,*=tools:read", "--commands", "trusted"],
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

const list = modernMessage(1, "tools/list");

/** A listing with this `Authorization` and at this path, without the harness's own token. */
function listAs(authorization: string | undefined, path = "/mcp"): Promise<Response> {
  return server.client.withToken("").fetch({
    path,
    headers: { ...mirrored(list), authorization },
    body: JSON.stringify(list),
  });
}

function callAs(token: string, name: string, args: object): Promise<Answer> {
  return server.client.withToken(token).modern("tools/call", { name, arguments: args });
}

describe("H04: who is not known", () => {
  const tokens = [laptop, reader];

  test.each<[string, string | undefined, number, string | undefined]>([
    ["no token", undefined, 401, undefined],
    ["a wrong token", "Bearer wrong-0123456789abcdef", 401, "invalid_token"],
    ["a shorter one", `Bearer ${laptop.slice(0, -1)}`, 401, "invalid_token"],
    ["another case", `Bearer ${laptop.toUpperCase()}`, 401, "invalid_token"],
    ["another scheme", `Basic ${btoa(`laptop:${laptop}`)}`, 401, undefined],
    ["no value", "Bearer ", 401, undefined],
    ["two tokens", `Bearer ${laptop}, Bearer ${reader}`, 400, "invalid_request"],
    ["a label", "Bearer laptop", 401, "invalid_token"],
  ])("[http.auth] %s", async (_, authorization, status, error) => {
    const response = await listAs(authorization);
    const challenge = response.headers.get("www-authenticate") ?? "";
    // What is no bearer header may count as malformed or as absent.
    expect(authorization === "Bearer " ? [400, 401] : [status]).toContain(response.status);
    expect(challenge).toStartWith('Bearer realm="scorpiox-code"');
    expect(challenge).toContain(
      'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"',
    );
    if (error !== undefined) expect(challenge).toContain(`error="${error}"`);
    if (authorization === undefined) expect(challenge).not.toContain("error=");
    const text = challenge + (await response.text());
    for (const token of tokens) expect(text).not.toContain(token);
  });

  test.each([
    `/mcp?access_token=${laptop}`,
    `/mcp?token=${laptop}`,
    `/mcp?x=1&access_token=${laptop}`,
  ])("[http.auth] a token in the URL is refused: %s", async (path) => {
    for (const authorization of [undefined, `Bearer ${laptop}`]) {
      const response = await listAs(authorization, path);
      expect([400, 401]).toContain(response.status);
      expect(response.headers.has("www-authenticate")).toBe(true);
      expect(await response.text()).not.toContain(laptop);
    }
  });

  test("[http.auth] the scheme has no case, and known tokens come in", async () => {
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      expect((await listAs(`${scheme} ${laptop}`)).status).toBe(200);
    }
  });

  test("[http.auth] nothing is done for a request without a token", async () => {
    const mark = server.home.at("mark");
    const call = modernMessage(1, "tools/call", {
      name: "Bash",
      arguments: { command: `touch ${mark}` },
    });
    const client = server.client.withToken("");
    expect((await client.post(call, mirrored(call))).status).toBe(401);
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {} };
    const opening = await client.post({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    expect([opening.status, opening.headers.has("mcp-session-id")]).toEqual([401, false]);
    expect(existsSync(mark)).toBe(false);
  });

  test("[http.auth] a new line of the token file counts soon, and one that is gone too", async () => {
    const late = "late-0123456789abcdef";
    const file = (text: string): string => server.home.write("tokens.txt", text);
    const before = `laptop ${laptop}\nreader ${reader} tools:read\n`;
    expect((await listAs(`Bearer ${late}`)).status).toBe(401);
    file(`${before}late ${late}\n`);
    await eventually("the new token", async () => (await listAs(`Bearer ${late}`)).status === 200);
    file(before);
    await eventually("its end", async () => (await listAs(`Bearer ${late}`)).status === 401);
  });

  test.each<[string, (server: HttpServer) => void]>([
    ["commented out", ({ home }) => void home.write("tokens.txt", `# ${laptop}\n`)],
    ["gone with the file", ({ home }) => unlinkSync(home.at("tokens.txt"))],
  ])("[http.auth] the last token %s is refused soon", async (_, takeBack) => {
    await using other = await HttpServer.start({ tokens: [laptop] });
    const status = async (): Promise<number> =>
      (await other.client.post(list, mirrored(list))).status;
    expect(await status()).toBe(200);
    takeBack(other);
    await eventually("its end", async () => (await status()) === 401);
    await eventually("the warning", () => other.stderr.includes("none of its tokens is accepted"));
  });
});

describe("what a token has opened", () => {
  test("[http.auth] ends when it is withdrawn: streams, subscriptions and commands of one holder", async () => {
    await using other = await HttpServer.start({
      tokens: [`laptop ${laptop}`, `reader ${reader}`],
      args: ["--commands", "trusted"],
    });
    const marker = uniqueSeconds();
    const background = { name: "BackgroundBash", arguments: { command: `sleep ${marker}` } };
    const [gone, staying] = [
      await other.initialize("2025-11-25", {}, reader),
      await other.initialize("2025-11-25", {}, laptop),
    ];
    const streams = [await gone.listen(), await staying.listen()] as const;
    await gone.request("tools/call", background);
    await eventually("the command", () => sleepers(marker) === 1);
    await other.client.withToken(reader).modern("tools/call", background);
    other.home.write("tokens.txt", `laptop ${laptop}\n`);
    await streams[0].ended;
    await allGone(`sleep ${marker}`);
    expect((await staying.request("ping")).result).toEqual({});
    await streams[1].close();
  });
});

describe("scopes", () => {
  test("[http.scopes] a tool whose scope is missing is not listed, and 403 when called", async () => {
    const names = toolNames(
      onlyMessage(await server.client.withToken(reader).modern("tools/list")),
    );
    expect(names).not.toContain("Bash");
    expect(names).toContain("ListBgTasks");
    const refused = await callAs(reader, "Bash", { command: "echo no" });
    expect(refused.status).toBe(403);
    const challenge = refused.headers.get("www-authenticate") ?? "";
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain('scope="tools:exec"');
    expect(isError(onlyMessage(await callAs(reader, "ListBgTasks", {})))).toBe(false);
  });

  test("[http.scopes] the documented example keeps commands from who may only use tools", async () => {
    const manual = readFileSync(join(root, "docs/http.md"), "utf8");
    const [, entries = ""] = /says which scope a tool needs: `([^`]+)`/.exec(manual) ?? [];
    const user = "user-0123456789abcdef";
    await using own = await HttpServer.start({
      tokens: [`user ${user} tools:use`, `laptop ${laptop} tools:exec tools:use`],
      args: ["--tool-scopes", entries, "--commands", "trusted"],
    });
    const commands = ["Bash", "BackgroundBash"];
    const names = toolNames(onlyMessage(await own.modern("tools/list")));
    expect(names).toContain("ReadBgOutput");
    for (const name of commands) {
      expect(names).not.toContain(name);
      const call = { name, arguments: { command: "true" } };
      expect((await own.modern("tools/call", call)).status).toBe(403);
      const other = own.client.withToken(laptop);
      expect((await other.modern("tools/call", call)).status).toBe(200);
    }
    expect(own.stderr).not.toContain("Tool scopes");
  });

  test("[http.scopes] tools that run commands and come under * are named at the start", async () => {
    await using own = await HttpServer.start({
      tokens: [`reader ${reader} tools:read`],
      args: ["--tool-scopes", "*=tools:read"],
    });
    await eventually("it on stderr", () =>
      own.stderr.includes('Bash, BackgroundBash come under "*"'),
    );
  });

  test("[http.scopes] the same in a session", async () => {
    const session = await server.initialize("2025-11-25", {}, reader);
    expect(toolNames(await session.request("tools/list"))).not.toContain("Bash");
    const answer = await session.post({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "Bash", arguments: { command: "echo no" } },
    });
    expect(answer.status).toBe(403);
  });

  test("[http.scopes] a batch is no way around them", async () => {
    const session = await server.initialize("2025-03-26", {}, reader);
    const mark = server.home.at("batch-mark");
    const params = { name: "Bash", arguments: { command: `touch ${mark}` } };
    await session.post([{ jsonrpc: "2.0", id: 1, method: "tools/call", params }]);
    expect(existsSync(mark)).toBe(false);
  });

  test("[http.scopes] a token without scopes may everything", async () => {
    expect(textOf(onlyMessage(await callAs(laptop, "Bash", { command: "echo yes" })))).toBe(
      "yes\n",
    );
  });
});

describe("U-oauth: signed tokens", () => {
  const signed = (claims: object): Promise<string> =>
    issuer.sign({ ...issuer.claims(resource, Date.now()), ...claims });

  test("[http.oauth] one that is in order comes in, with its scopes", async () => {
    const token = await signed({ scope: "tools:read" });
    expect((await listAs(`Bearer ${token}`)).status).toBe(200);
    expect((await callAs(token, "Bash", { command: "true" })).status).toBe(403);
    const more = await signed({ scope: "tools:exec" });
    expect((await callAs(more, "Bash", { command: "true" })).status).toBe(200);
  });

  test.each([
    ["another audience", { aud: "https://other.example/mcp" }],
    ["an expired one", { exp: 1_000_000_000 }],
    ["one for later", { nbf: 9_000_000_000 }],
    ["another issuer", { iss: "https://evil.example" }],
  ])("[http.oauth] %s is 401", async (_, claims) => {
    const response = await listAs(`Bearer ${await signed(claims)}`);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
  });

  test.each(["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"])(
    "[http.oauth] %s tells where tokens come from, to everybody",
    async (path) => {
      const response = await server.client.withToken("").fetch({ method: "GET", path });
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        resource,
        authorization_servers: [issuer.issuer],
        scopes_supported: expect.arrayContaining(["tools:exec", "tools:read"]),
        bearer_methods_supported: ["header"],
        resource_name: expect.any(String),
      });
    },
  );

  test("[http.oauth] without an authorization server there is no such document", async () => {
    await using plain = await HttpServer.start({ tokens: [laptop] });
    const path = "/.well-known/oauth-protected-resource";
    expect((await plain.client.fetch({ method: "GET", path })).status).toBe(404);
    const challenge = (await plain.client.withToken("").post(list, mirrored(list))).headers;
    expect(challenge.get("www-authenticate")).not.toContain("resource_metadata");
  });
});

test("[policy.audit-tokens] refused tokens are in the audit log, and a flood of them is a few lines", async () => {
  using home = new TempFolder();
  const secret = "not-the-token-0123456789";
  {
    await using own = await HttpServer.start({
      home,
      tokens: [`reader ${reader} tools:read`],
      args: ["--tool-scopes", "Bash=tools:exec,*=tools:read"],
    });
    const send = (headers: Record<string, string>, path = "/mcp"): Promise<Response> =>
      own.client.withToken("").fetch({
        path,
        headers: { ...mirrored(list), ...headers },
        body: JSON.stringify(list),
      });
    expect((await send({})).status).toBe(401);
    expect((await send({ authorization: `Bearer ${secret}` })).status).toBe(401);
    const call = { name: "Bash", arguments: { command: "true" } };
    expect((await own.client.withToken(reader).modern("tools/call", call)).status).toBe(403);
    const flood = Array.from({ length: 200 }, () => send({ authorization: `Bearer ${secret}` }));
    await Promise.all(flood);
  }
  const text = readFileSync(home.at(".scorpiox/audit/audit.jsonl"), "utf8");
  expect(text).not.toContain(secret);
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const common = {
    time: expect.any(String) as unknown,
    refused: "token",
    reason: expect.any(String) as unknown,
    decision: "denied",
    outcome: "refused",
  };
  const [ends, each] = [
    lines.filter((line) => "more" in line),
    lines.filter((line) => !("more" in line)),
  ];
  expect(each).toContainEqual({ ...common, address: "127.0.0.1", status: 401 });
  expect(each).toContainEqual({ ...common, tool: "Bash", owner: "token:reader", status: 403 });
  // Each process of a fleet has its own.
  const told = auditRefusalsMax * Math.max(fleetSize, 1);
  expect(each).toHaveLength(told);
  expect(ends.reduce((sum, { more }) => sum + Number(more), 0)).toBe(202 - told);
});
