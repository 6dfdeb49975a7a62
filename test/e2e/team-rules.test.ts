import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";

import { AuthorizationServer } from "../server/auth/authorization-server.ts";
import { eventually } from "./harness/conditions.ts";
import { type HttpClient, onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { textOf, toolNames } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { upstreamLaunch } from "../fixtures/upstream/launch.ts";

setDefaultTimeout(testMsMax);

const ada = "ada-0123456789abcdef";
const ben = "ben-0123456789abcdef";
const resource = "https://mcp.example.com/mcp";

const entry = (name: string): object => upstreamLaunch({ tools: ["echo", "add"], name });

let issuer: AuthorizationServer;
let home: TempFolder;
let one: HttpServer;
let two: HttpServer;

beforeAll(async () => {
  issuer = await AuthorizationServer.start();
  home = new TempFolder();
  const mcpServers = { docs: entry("docs"), vault: entry("vault") };
  home.write(".scorpiox/mcp_servers.json", JSON.stringify({ mcpServers }));
  const rules = [
    { server: "docs", tool: "echo", owner: "ben", action: "deny", reason: "Not for Ben." },
    { server: "docs", owner: `${issuer.issuer}|mallory`, action: "deny" },
    { server: "vault", group: "ops", action: "allow" },
  ];
  const policy = { rules, default: { "mcp__vault__*": "deny" } };
  home.write(".scorpiox/policy.jsonc", JSON.stringify(policy));
  const tokens = [`ada ${ada}`, `ben ${ben}`];
  const keys = issuer.keySetUrl.href;
  const args = ["--jwks", keys, "--issuer", issuer.issuer, "--resource", resource];
  const all = [...args, "--groups-claim", "teams"];
  one = await HttpServer.start({ home, tokens, args: all });
  two = await HttpServer.start({ home, tokens, args: all });
  for (const { client } of [one, two]) {
    await eventually(
      "the servers",
      async () =>
        toolNames(onlyMessage(await client.modern("tools/list"))).includes("mcp__vault__echo"),
      20_000,
    );
  }
});

afterAll(async () => {
  await one[Symbol.asyncDispose]();
  await two[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

/** "made" when the tool has answered, else the refusal. */
async function echo(client: HttpClient, name: string): Promise<string> {
  const args = { name, arguments: { text: "hello" } };
  const answer = onlyMessage(await client.modern("tools/call", args));
  const text = textOf(answer);
  return text.includes("hello") ? "made" : text;
}

function signed(claims: Readonly<Record<string, unknown>>): Promise<string> {
  return issuer.sign({ ...issuer.claims(resource, Date.now()), ...claims });
}

test("[team.rules] a rule for a label holds for that holder alone, in every process", async () => {
  for (const { client } of [one, two]) {
    expect(await echo(client.withToken(ada), "mcp__docs__echo")).toBe("made");
    expect(await echo(client.withToken(ben), "mcp__docs__echo")).toContain("Not for Ben.");
  }
});

test("[team.rules] people are told apart by issuer and subject, not by what else a token says of them", async () => {
  const as = async (claims: object): Promise<string> =>
    echo(one.client.withToken(await signed({ ...claims })), "mcp__docs__echo");
  expect(await as({ sub: "mallory" })).toContain("was not run");
  expect(await as({ sub: "alice", name: "mallory", preferred_username: "mallory" })).toBe("made");
  // A subject that reads like a label is not the holder of that token.
  expect(await as({ sub: "ben" })).toBe("made");
});

test("[team.rules] what only a group may do is refused to all others", async () => {
  const as = async (claims: object): Promise<string> =>
    echo(one.client.withToken(await signed({ sub: "alice", ...claims })), "mcp__vault__echo");
  expect(await as({ teams: ["dev", "ops"] })).toBe("made");
  for (const claims of [
    {},
    { teams: ["dev"] },
    // Not the claim that is configured.
    { groups: ["ops"] },
    { teams: { ops: true } },
    { _claim_names: { teams: "elsewhere" } },
  ]) {
    expect(await as(claims)).toContain("was not run");
  }
  expect(await echo(one.client.withToken(ada), "mcp__vault__echo")).toContain("was not run");
});

test("[team.rules] over stdin and stdout nobody is known: rules by person are about nobody", async () => {
  await using server = new Server({ home });
  await server.initialize();
  await eventually(
    "the server",
    async () => textOf(await server.call("mcp__docs__echo", { text: "hello" })).includes("hello"),
    20_000,
  );
  expect(textOf(await server.call("mcp__vault__echo", { text: "hello" }))).toContain("was not run");
});
