import { afterEach, describe, expect, test } from "bun:test";

import { Changes } from "../../../src/calls/features.ts";
import type { Principal, TokenState } from "../../../src/server/auth/principal.ts";
import { ServerContext } from "../../../src/server/context/server-context.ts";
import { TokenWatch } from "../../../src/server/http/sse-stream.ts";
import { until } from "../../commands/process/until.ts";
import { mirrored, modernMessage } from "../../e2e/harness/http-client.ts";
import { FakeTools, request } from "../harness.ts";
import { type EndpointFixture, startEndpoint } from "./endpoint-fixture.ts";
import { get, post, postModern } from "./exchange.ts";
import { PairClient } from "./pair-client.ts";

/** Whose tokens do not count any more; everybody else's do. */
const tokenStates = new Map<string, TokenState>();
afterEach(() => tokenStates.clear());
const tokenStateOf = ({ id }: Principal): TokenState => tokenStates.get(id) ?? "valid";

const alice = { authorization: "alice" };
const bob = { authorization: "bob" };
const echo = { name: "Echo", arguments: {} };

/** Looks every few milliseconds. */
function start(): EndpointFixture {
  const tools = new FakeTools();
  const fixture = startEndpoint({
    server: new ServerContext({
      features: { tools, changes: new Changes(), changing: new Set(["tools"]) },
      instructions: "Use the tools.",
      stateKey: () => Promise.resolve(new Uint8Array(32)),
    }),
    ssePair: { stream: "/sse", messages: "/messages" },
    tokenStateOf,
    tokenLookMs: 5,
  });
  return { ...fixture, tools, [Symbol.dispose]: () => fixture.endpoint.close() };
}

type Headers = Readonly<Record<string, string>>;

async function begin(fixture: EndpointFixture, owner: Headers): Promise<Headers> {
  const clientInfo = { name: "test", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const opening = await post(fixture, request("init", "initialize", params), owner);
  return { ...owner, "mcp-session-id": opening.headers.get("mcp-session-id") ?? "" };
}

function listen(fixture: EndpointFixture, owner: Headers): Promise<Response> {
  const message = modernMessage(1, "subscriptions/listen", { notifications: {} });
  return post(fixture, message, { ...mirrored(message), ...owner });
}

/** Reads on; says whether the stream is over. */
function watch(response: Response): () => boolean {
  let isOver = false;
  void response.text().then(() => (isOver = true));
  return () => isOver;
}

/** After some looks: what was to end has ended. */
async function looks(fixture: EndpointFixture): Promise<void> {
  const probe = watch(await listen(fixture, { authorization: "probe" }));
  tokenStates.set("probe", "withdrawn");
  await until(probe);
  tokenStates.delete("probe");
}

const ping = request(2, "ping");

describe("a token that was withdrawn", () => {
  test("ends its sessions with their streams, and nobody else's", async () => {
    using fixture = start();
    const [hers, his] = [await begin(fixture, alice), await begin(fixture, bob)];
    const herStream = watch(await get(fixture, hers));
    const hisStream = watch(await get(fixture, his));
    tokenStates.set("alice", "withdrawn");
    await until(herStream);
    await looks(fixture);
    expect(fixture.endedIds).toContain(`session:${hers["mcp-session-id"]}`);
    expect((await post(fixture, ping, hers)).status).toBe(404);
    expect([(await post(fixture, ping, his)).status, hisStream()]).toEqual([200, false]);
  });

  test("cancels its calls and subscriptions, and ends what runs in the background", async () => {
    using fixture = start();
    const call = postModern(fixture, echo, alice);
    const subscription = watch(await listen(fixture, alice));
    await until(() => fixture.tools.calls.length === 1);
    tokenStates.set("alice", "withdrawn");
    await until(subscription);
    await until(() => fixture.tools.calls[0]?.request.cancellation.isCancelled === true);
    await until(() => fixture.endedIds.includes("principal:alice"));
    fixture.tools.answer(0);
    await call;
  });

  test("ends its streams of HTTP+SSE", async () => {
    using fixture = start();
    const client = await PairClient.initialize(fixture, "2024-11-05", alice);
    tokenStates.set("alice", "withdrawn");
    await until(() => client.isEnded);
  });
});

describe("a token that has expired", () => {
  test("closes the stream of its session, to which its holder comes back", async () => {
    using fixture = start();
    const hers = await begin(fixture, alice);
    const stream = watch(await get(fixture, hers));
    tokenStates.set("alice", "expired");
    await until(stream);
    tokenStates.delete("alice");
    expect((await post(fixture, ping, hers)).status).toBe(200);
    const next = await get(fixture, hers);
    expect(next.status).toBe(200);
    await next.body?.cancel();
    expect(fixture.endedIds).toEqual([]);
  });

  test("ends subscriptions; calls that were begun in time finish", async () => {
    using fixture = start();
    const subscription = watch(await listen(fixture, alice));
    const session = await begin(fixture, alice);
    const calls = [
      postModern(fixture, echo, alice),
      post(fixture, request(3, "tools/call", echo), session),
    ];
    await until(() => fixture.tools.calls.length === 2);
    tokenStates.set("alice", "expired");
    await until(subscription);
    await looks(fixture);
    fixture.tools.answer(0);
    fixture.tools.answer(1);
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
    expect(fixture.endedIds).not.toContain("principal:alice");
  });

  test("ends a stream of HTTP+SSE, and with it the session", async () => {
    using fixture = start();
    const client = await PairClient.initialize(fixture, "2024-11-05", alice);
    tokenStates.set("alice", "expired");
    await until(() => client.isEnded);
    expect(fixture.endedIds.length).toBe(1);
  });
});

describe("TokenWatch", () => {
  test("what is withdrawn at one look only stays: its file was being written", () => {
    const principal = { id: "alice", scopes: undefined };
    const seen: TokenState[] = [];
    const watched = new TokenWatch(tokenStateOf, (judge) => void seen.push(judge(principal)));
    for (const state of ["withdrawn", "valid", "withdrawn", "withdrawn", "expired"] as const) {
      tokenStates.set("alice", state);
      watched.look();
    }
    watched.close();
    expect(seen).toEqual(["valid", "valid", "valid", "withdrawn", "expired"]);
  });
});
