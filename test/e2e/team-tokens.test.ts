import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";

import { productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { type HttpClient, onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { textOf, toolNames } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { allGone, sleepers, uniqueSeconds } from "./harness/processes.ts";
import { runProduct } from "./harness/run-product.ts";
import { testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { upstreamLaunch } from "../fixtures/upstream/launch.ts";

setDefaultTimeout(testMsMax);

const plain = "plain-0123456789abcdef";

/** Runs `token …` and gives its stdout. */
async function token(home: TempFolder, words: string): Promise<string> {
  const { exitCode, stdout, stderr } = await runProduct(home, ["token", ...words.split(" ")]);
  if (exitCode !== 0) throw new Error(stderr);
  return stdout.trim();
}

async function status(client: HttpClient): Promise<number> {
  return (await client.modern("tools/list")).status;
}

function refusedLines(home: TempFolder): readonly Readonly<Record<string, unknown>>[] {
  const file = home.at(".scorpiox/audit/audit.jsonl");
  if (!existsSync(file)) return [];
  // The last line may not be whole yet.
  const whole = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return whole
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ refused }) => refused === "token");
}

test("[team.tokens] a made token comes in, a server with one needs one, and its end ends all that it opened", async () => {
  using home = new TempFolder();
  const [ada, ben] = [await token(home, "add ada"), await token(home, "add ben")];
  await using one = await HttpServer.start({ home, isAlone: true });
  await using two = await HttpServer.start({ home, isAlone: true });
  const nobody = one.client.withToken("");
  expect([await status(nobody), await status(nobody.withToken("scx_wrong-0123456789"))]).toEqual([
    401, 401,
  ]);
  const session = await one.initialize("2025-11-25", {}, ada);
  const marker = uniqueSeconds();
  const background = { name: "BackgroundBash", arguments: { command: `sleep ${marker}` } };
  await session.request("tools/call", background);
  const stream = await session.listen();
  await eventually("the command", () => sleepers(marker) === 1);
  expect(await status(two.client.withToken(ada))).toBe(200);
  await token(home, "revoke ada");
  await stream.ended;
  await allGone(`sleep ${marker}`);
  for (const { client } of [one, two]) {
    await eventually("its end", async () => (await status(client.withToken(ada))) === 401);
    expect(await status(client.withToken(ben))).toBe(200);
  }
  const [revoked, unknown] = await Promise.all(
    [ada, `${ada.slice(0, -1)}!`.replace("!", ada.endsWith("A") ? "B" : "A")].map((each) =>
      one.client.withToken(each).modern("tools/list"),
    ),
  );
  expect(revoked?.text).toBe(unknown?.text ?? "");
  await eventually("the reason in the audit log", () =>
    refusedLines(home).some(
      ({ owner, reason }) => owner === "token:ada" && reason === "The token of ada was revoked.",
    ),
  );
});

test("[team.tokens] a token that expires, a rotation, the last use, and plain lines beside them", async () => {
  using home = new TempFolder();
  const brief = await token(home, "add brief --expires 3s");
  const old = await token(home, "add ada");
  const server = await HttpServer.start({
    home,
    keepsFiles: true,
    tokens: [`laptop ${plain}`],
  });
  const as = (text: string): HttpClient => server.client.withToken(text);
  expect([await status(as(plain)), await status(as(old))]).toEqual([200, 200]);
  await eventually("its expiry", async () => (await status(as(brief))) === 401, 10_000);
  const fresh = await token(home, "rotate ada --grace 1h");
  await eventually("the new token", async () => (await status(as(fresh))) === 200);
  expect(await status(as(old))).toBe(200);
  await token(home, "rotate ada --grace 0");
  await eventually("the end of both", async () => (await status(as(fresh))) === 401);
  // The first rotation's grace is over too: none makes an older token last longer.
  await eventually("the end of the older one", async () => (await status(as(old))) === 401);
  await server[Symbol.asyncDispose]();
  const listed = JSON.parse(
    await token(home, `list --json --all --token-file ${home.at("tokens.txt")}`),
  ) as readonly { label: string; kind: string; status: string; lastUse: string | null }[];
  const rows = listed.map(({ label, kind, status: state, lastUse }) => [
    label,
    kind,
    state,
    lastUse !== null,
  ]);
  expect(rows).toEqual([
    ["ada", "made", "expired", true],
    ["ada", "made", "expired", true],
    ["ada", "made", "valid", false],
    ["brief", "made", "expired", true],
    ["laptop", "plain", "valid", false],
  ]);
  expect(JSON.stringify(listed)).not.toContain(plain);
});

test("[team.tokens] of commands at the same time none is lost, and a killed one leaves all or nothing", async () => {
  using home = new TempFolder();
  const labels = ["p0", "p1", "p2", "p3", "p4"];
  await Promise.all(labels.map((label) => token(home, `add ${label}`)));
  const listed = async (): Promise<readonly string[]> => {
    const rows = JSON.parse(await token(home, "list --json")) as readonly { label: string }[];
    return rows.map(({ label }) => label);
  };
  expect(await listed()).toEqual(labels);
  for (let at = 0; at < 10; at++) {
    const child = Bun.spawn([productBinary, "token", "add", `killed${at}`], {
      env: testEnvironment(home.path),
      stdio: ["ignore", "ignore", "ignore"],
    });
    await Bun.sleep(Math.random() * 80);
    child.kill("SIGKILL");
    await child.exited;
  }
  const after = await listed();
  expect(after.filter((label) => !label.startsWith("killed"))).toEqual(labels);
  await token(home, "add last");
  expect(await listed()).toEqual([...after, "last"].toSorted());
});

test("[team.token-servers] a token sees and calls the tools of its servers alone, by any name", async () => {
  using home = new TempFolder();
  const entry = (name: string): object =>
    upstreamLaunch({ tools: ["echo"], name, instructions: `I am ${name}.` });
  const mcpServers = { docs: entry("docs"), vault: entry("vault") };
  home.write(".scorpiox/mcp_servers.json", JSON.stringify({ mcpServers }));
  const all = await token(home, "add all");
  const some = await token(home, "add some --servers docs");
  const none = await token(home, "add none --servers none");
  await using server = await HttpServer.start({ home, keepsFiles: true });
  const names = async (text: string): Promise<readonly string[]> =>
    toolNames(onlyMessage(await server.client.withToken(text).modern("tools/list"))).filter(
      (name) => name.startsWith("mcp__"),
    );
  await eventually("both servers", async () => (await names(all)).length === 2, 20_000);
  expect([await names(all), await names(some), await names(none)]).toEqual([
    ["mcp__docs__echo", "mcp__vault__echo"],
    ["mcp__docs__echo"],
    [],
  ]);
  const call = async (text: string, name: string, args: object): Promise<string> => {
    const client = server.client.withToken(text);
    const { text: answer } = await client.modern("tools/call", { name, arguments: args });
    return answer;
  };
  const hello = { text: "hello" };
  const vault = "mcp__vault__echo";
  expect(await call(all, vault, hello)).toContain("hello");
  expect(await call(some, "mcp__docs__echo", hello)).toContain("hello");
  for (const [name, args] of [
    [vault, hello],
    ["vault__echo", hello],
    ["tool_call", { name: vault, arguments: hello }],
  ] as const) {
    const answer = await call(some, name, args);
    expect(answer).toContain("Unknown tool");
    expect(answer).not.toContain('"hello"');
  }
  for (const args of [
    { query: "echo" },
    { query: "echo", server: "vault" },
    { query: `select:${vault}` },
  ]) {
    expect(await call(all, "tool_search", args)).toContain("vault");
    const found = await call(some, "tool_search", args);
    expect(found.replaceAll(vault, "").replaceAll(JSON.stringify(args), "")).not.toContain("vault");
  }
  const told = await server.initialize("2025-11-25", {}, some);
  expect(told.opening.text).toContain("docs");
  expect(told.opening.text).not.toContain("vault");
  expect(textOf(await told.call("mcp__docs__echo", hello))).toContain("hello");
});
