import { describe, expect, test } from "bun:test";

import type { InputRequest } from "../../../src/protocol/input-request.ts";
import type { GivenRoots } from "../../../src/upstream/config/server-entry.ts";
import type { ServerRights } from "../../../src/upstream/snapshot.ts";
import { eventually } from "../../e2e/harness/conditions.ts";
import {
  FakeUpstreams,
  type PlayedCall,
  rights,
  snapshotOf,
  textReply,
  tool,
} from "./fake-upstreams.ts";
import { answered, GatewayHarness, said } from "./gateway-harness.ts";

const form = (name: string, field: object = { type: "string" }): InputRequest => ({
  method: "elicitation/create",
  params: {
    message: `Your ${name}?`,
    requestedSchema: { type: "object", properties: { [name]: field as { type: string } } },
  },
});
const sampling: InputRequest = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 5 },
};
const roots: InputRequest = { method: "roots/list" };
const elicits = { elicitation: { form: {} } };

/** A server of the legacy era: asks one after the other in the middle of its work, and tells what it heard. */
function legacyServer(...asks: readonly InputRequest[]): FakeUpstreams["play"] {
  return async ({ events }: PlayedCall) => {
    const heard: unknown[] = [];
    for (const ask of asks) {
      heard.push(await events.ask(ask).catch((error: Error) => error.message));
    }
    return textReply(JSON.stringify(heard));
  };
}

/** One of the stateless era: answers with its questions, one round after the other. */
function modernServer(...asks: readonly InputRequest[]): FakeUpstreams["play"] {
  return ({ call }: PlayedCall) => {
    const round = call.requestState === undefined ? 0 : Number(call.requestState.slice(-1)) + 1;
    const heard = JSON.stringify(call.inputResponses ?? {});
    const next = asks[round];
    if (next === undefined) return textReply(heard);
    return {
      kind: "input-required",
      requests: { q: next },
      requestState: `state "\u00e9" ${round}`,
    };
  };
}

function withRights(more: Partial<ServerRights>): FakeUpstreams {
  return new FakeUpstreams(snapshotOf({ rights: [rights("files", more)] }));
}

interface Round {
  readonly result: {
    readonly inputRequests: Readonly<
      Record<string, { readonly params: { readonly message: string } }>
    >;
    readonly requestState: string;
  };
}

const samplingDenied =
  "files asked for the client's model (sampling), which it may not use. " +
  'The user can allow it with sampling = "ask" or "allow" in its entry.';

const call = { name: "mcp__files__read", arguments: { a: 1 } };

async function round(harness: GatewayHarness, more: object = {}): Promise<Round["result"]> {
  const reply = await harness.modern("tools/call", { ...call, ...more }, elicits);
  expect(reply).toMatchObject({ result: { resultType: "input_required" } });
  return (reply as unknown as Round).result;
}

const accept = (content: object): Record<string, unknown> => ({ action: "accept", content });

describe("questions of other servers in the four pairs of eras [GW-29]", () => {
  test("legacy server, legacy client: relayed during the call, with the server's name", async () => {
    await using harness = new GatewayHarness();
    harness.upstreams.play = legacyServer(form("name"), form("age", { type: "integer" }));
    await harness.initialize(elicits);
    const calling = harness.send("tools/call", call, 77);
    const first = await harness.answerNext(accept({ name: "Ann" }));
    expect(first["params"]).toMatchObject({ message: "files asks: Your name?" });
    await harness.answerNext(accept({ age: 7 }));
    expect(said(await calling)).toBe(JSON.stringify([accept({ name: "Ann" }), accept({ age: 7 })]));
  });

  test("modern server, legacy client: asked by real requests, then asked again with its own state", async () => {
    await using harness = new GatewayHarness();
    harness.upstreams.play = modernServer(form("name"), form("city"));
    await harness.initialize(elicits);
    const calling = harness.send("tools/call", call, 77);
    await harness.answerNext(accept({ name: "Ann" }));
    await harness.answerNext(accept({ city: "Ulm" }));
    expect(said(await calling)).toBe(JSON.stringify({ q: accept({ city: "Ulm" }) }));
    expect(
      harness.upstreams.calls.map((played) => [
        played.call.requestState,
        played.call.inputResponses,
      ]),
    ).toEqual([
      [undefined, undefined],
      ['state "\u00e9" 0', { q: accept({ name: "Ann" }) }],
      ['state "\u00e9" 1', { q: accept({ city: "Ulm" }) }],
    ]);
  });

  test("modern server, modern client: rounds, with that server's state sealed in ours", async () => {
    await using harness = new GatewayHarness();
    harness.upstreams.play = modernServer(form("name"), form("city"));
    const first = await round(harness);
    expect(first.inputRequests["q"]?.params.message).toBe("files asks: Your name?");
    expect(first.requestState).not.toContain("state");
    // An answer that does not fit is asked for again, and that server is not bothered.
    const again = await round(harness, {
      requestState: first.requestState,
      inputResponses: { q: { action: "accept", content: { name: 5 } } },
    });
    expect(harness.upstreams.calls.length).toBe(1);
    const second = await round(harness, {
      requestState: again.requestState,
      inputResponses: { q: accept({ name: "Ann" }) },
    });
    const reply = await harness.modern(
      "tools/call",
      {
        ...call,
        requestState: second.requestState,
        inputResponses: { q: accept({ city: "Ulm" }) },
      },
      elicits,
    );
    expect(said(reply)).toBe(JSON.stringify({ q: accept({ city: "Ulm" }) }));
    expect(harness.upstreams.calls.map((played) => played.call.requestState)).toEqual([
      undefined,
      'state "\u00e9" 0',
      'state "\u00e9" 1',
    ]);
  });

  test("legacy server, modern client: its call waits while the client is away, and is made once", async () => {
    await using harness = new GatewayHarness();
    harness.upstreams.play = legacyServer(form("name"), form("city"));
    const first = await round(harness);
    const second = await round(harness, {
      requestState: first.requestState,
      inputResponses: { question: accept({ name: "Ann" }) },
    });
    expect(second.inputRequests["question"]?.params.message).toBe("files asks: Your city?");
    const reply = await harness.modern(
      "tools/call",
      {
        ...call,
        requestState: second.requestState,
        inputResponses: { question: accept({ city: "Ulm" }) },
      },
      elicits,
    );
    expect(said(reply)).toBe(JSON.stringify([accept({ name: "Ann" }), accept({ city: "Ulm" })]));
    expect(harness.upstreams.calls.length).toBe(1);
  });

  test("a client that comes back without an answer is asked again, and the call still waits", async () => {
    await using harness = new GatewayHarness();
    harness.upstreams.play = legacyServer(form("name"));
    const first = await round(harness);
    const again = await round(harness, { requestState: first.requestState, inputResponses: {} });
    const reply = await harness.modern(
      "tools/call",
      {
        ...call,
        requestState: again.requestState,
        inputResponses: { question: accept({ name: "Ann" }) },
      },
      elicits,
    );
    expect(said(reply)).toBe(JSON.stringify([accept({ name: "Ann" })]));
    expect(harness.upstreams.calls.length).toBe(1);
  });

  test("a question that was refused before the client was asked is not asked again", async () => {
    await using harness = new GatewayHarness();
    harness.upstreams.play = legacyServer(sampling, form("name"));
    const { requestState } = await round(harness);
    const inputResponses = { question: accept({ name: "Ann" }) };
    const more = { ...call, requestState, inputResponses };
    const reply = await harness.modern("tools/call", more, elicits);
    expect(said(reply)).toBe(JSON.stringify([samplingDenied, accept({ name: "Ann" })]));
    expect(harness.upstreams.calls.length).toBe(1);
  });

  test("a server that ends while people at this machine are asked is not waited for", async () => {
    await using harness = new GatewayHarness();
    const { promise: never } = Promise.withResolvers<never>();
    harness.ask = () => never;
    const choice = form("way", { type: "string", enum: ["a", "b"] });
    harness.upstreams.play = ({ events }) => {
      void events.ask(choice).catch(() => {});
      return eventually("the question", () => harness.asked.length > 0).then(() => ({
        kind: "failed",
        text: "gone",
        reason: "connection_lost",
      }));
    };
    expect(said(await harness.modern("tools/call", call))).toEqual({ isError: "gone" });
  });

  test.each([
    ["stateless", modernServer(form("name")), "q"],
    ["legacy", legacyServer(form("name")), "question"],
  ])("what a %s server was doing is no other server's, by whatever alias", async (_, play, key) => {
    const upstreams = new FakeUpstreams(snapshotOf());
    await using harness = new GatewayHarness({ upstreams });
    upstreams.play = play;
    const { requestState } = await round(harness, { name: "get" });
    upstreams.snapshot = snapshotOf({ revision: 2, tools: [tool("files", "get")] });
    const inputResponses = { [key]: accept({ name: "Ann" }) };
    const more = { ...call, name: "get", requestState, inputResponses };
    expect(said(await harness.modern("tools/call", more, elicits))).toMatchObject({ code: -32602 });
    expect(upstreams.calls.map((played) => played.call.server)).toEqual(["web"]);
  });

  test.each<[string, (state: string) => object]>([
    ["changed state", (state) => ({ requestState: `${state.slice(0, -2)}AA` })],
    ["other arguments", (requestState) => ({ requestState, arguments: { a: 2 } })],
    ["another tool", (requestState) => ({ requestState, name: "mcp__web__get" })],
  ])("%s is refused, and that server goes on waiting", async (_about, change) => {
    await using harness = new GatewayHarness();
    harness.upstreams.play = legacyServer(form("name"));
    const { requestState } = await round(harness);
    const inputResponses = { question: accept({ name: "Ann" }) };
    const more = { ...call, inputResponses, ...change(requestState) };
    const reply = await harness.modern("tools/call", more, elicits);
    expect(said(reply)).toMatchObject({ code: -32602 });
    const { signal } = harness.upstreams.calls[0] as PlayedCall;
    expect([harness.upstreams.calls.length, signal.aborted]).toEqual([1, false]);
  });

  test("a call that does not wait any more is not made a second time unasked", async () => {
    await using harness = new GatewayHarness();
    harness.upstreams.play = legacyServer(form("name"));
    const { requestState } = await round(harness);
    harness.gateway.endClient("stdio");
    expect(harness.upstreams.calls[0]?.signal.aborted).toBe(true);
    const inputResponses = { question: accept({ name: "Ann" }) };
    const reply = await harness.modern(
      "tools/call",
      { ...call, requestState, inputResponses },
      elicits,
    );
    expect(said(reply)).toMatchObject({ code: -32602 });
    expect(harness.upstreams.calls.length).toBe(1);
  });
});

describe("what other servers may ask for [GW-29]", () => {
  test("sampling is an error unless the user's entry allows it", async () => {
    await using harness = new GatewayHarness();
    harness.upstreams.play = legacyServer(sampling);
    await harness.initialize({ sampling: {} });
    expect(said(await harness.call("read"))).toBe(JSON.stringify([samplingDenied]));
    harness.upstreams.play = modernServer(sampling);
    expect(said(await harness.call("read"))).toEqual({ isError: `files: ${samplingDenied}` });
  });

  test.each([
    ["Allow once", true],
    ["Deny", false],
  ])("sampling = ask asks the user first: %s", async (label, isRelayed) => {
    await using harness = new GatewayHarness({ upstreams: withRights({ sampling: "ask" }) });
    harness.upstreams.play = legacyServer(sampling);
    harness.answer = () => answered([label]);
    await harness.initialize({ sampling: {} });
    const calling = harness.send("tools/call", call, 77);
    const message = { role: "assistant", content: { type: "text", text: "hello" }, model: "m" };
    if (isRelayed) await harness.answerNext(message);
    const text = isRelayed
      ? message
      : "files asked for the client's model, and the user did not allow it.";
    expect(said(await calling)).toBe(JSON.stringify([text]));
    expect(harness.asked.map(({ purpose }) => purpose)).toEqual(["consent"]);
  });

  test("a client without sampling cannot be asked for it", async () => {
    await using harness = new GatewayHarness({ upstreams: withRights({ sampling: "allow" }) });
    harness.upstreams.play = legacyServer(sampling);
    await harness.initialize();
    expect(said(await harness.call("read"))).toContain("which this client does not offer");
  });

  test("roots are the workspace, and the client is not asked", async () => {
    await using harness = new GatewayHarness();
    harness.upstreams.play = legacyServer(roots);
    await harness.initialize();
    const uri = Bun.pathToFileURL(harness.services.folder).href;
    expect(said(await harness.call("read"))).toBe(
      JSON.stringify([{ roots: [{ uri, name: "workspace" }] }]),
    );
  });

  test.each<readonly [GivenRoots, unknown]>([
    ["none", "files asked for folders, but its configuration shares none."],
    ["workspace", { roots: [{ uri: "file:///a", name: "workspace" }] }],
    [
      "client",
      {
        roots: [
          { uri: "file:///a", name: "a" },
          { uri: "file:///b/c", name: "c" },
        ],
      },
    ],
    [["/data"], { roots: [{ uri: "file:///data", name: "data" }] }],
  ])(
    "of a client with folders a server with roots = %j is told of its own",
    async (given, told) => {
      await using harness = new GatewayHarness({ upstreams: withRights({ roots: given }) });
      harness.upstreams.play = legacyServer(roots);
      await harness.initialize({ roots: {} });
      const reply = harness.call("read");
      if (given === "workspace" || given === "client") {
        const { id } = await harness.until(({ method }) => method === "roots/list");
        const offered = ["file:///a", "file:///b/c"].map((uri) => ({ uri }));
        harness.transport.deliver({ jsonrpc: "2.0", id, result: { roots: offered } });
      }
      expect(JSON.parse(String(said(await reply)))).toEqual([told]);
    },
  );

  test.each<[string, object, string]>([
    ["password", { type: "string" }, "declined"],
    ["apiKey", { type: "string" }, "declined"],
    ["x", { type: "string", title: "Your PIN" }, "declined"],
    ["x", { type: "object" }, "declined"],
    ["passage", { type: "string" }, "shown"],
    ["token_count", { type: "integer" }, "shown"],
  ])("a form with the field %s %o is %s", async (name, field, outcome) => {
    await using harness = new GatewayHarness();
    harness.upstreams.play = legacyServer(form(name, field));
    await harness.initialize(elicits);
    const calling = harness.send("tools/call", call, 77);
    if (outcome === "shown") await harness.answerNext({ action: "cancel" });
    const text = String(said(await calling));
    expect(text.startsWith(`[{"action":"${outcome === "shown" ? "cancel" : "decline"}"}]`)).toBe(
      true,
    );
    expect(text.includes("was not shown")).toBe(outcome !== "shown");
  });

  test("elicitation = deny declines without a word", async () => {
    await using harness = new GatewayHarness({ upstreams: withRights({ elicitation: "deny" }) });
    harness.upstreams.play = legacyServer(form("name"));
    await harness.initialize(elicits);
    expect(said(await harness.call("read"))).toBe('[{"action":"decline"}]');
  });

  test("without forms people at this machine are asked, and words cannot be asked for", async () => {
    await using harness = new GatewayHarness();
    harness.answer = () => answered(["No"], ["big"]);
    const field = { type: "string", enum: ["small", "big"] };
    harness.upstreams.play = legacyServer(
      {
        method: "elicitation/create",
        params: {
          message: "How?",
          requestedSchema: { type: "object", properties: { ok: { type: "boolean" }, size: field } },
        },
      },
      {
        method: "elicitation/create",
        params: {
          message: "Who?",
          requestedSchema: {
            type: "object",
            properties: { name: { type: "string" } },
            required: ["name"],
          },
        },
      },
    );
    await harness.initialize();
    const text = String(said(await harness.call("read")));
    expect(text.split("\n")[0]).toBe(
      JSON.stringify([accept({ ok: false, size: "big" }), { action: "cancel" }]),
    );
    expect(text).toContain("asked the user for words or numbers");
    expect(harness.asked[0]?.questions.map(({ question }) => question)).toEqual([
      "files asks: How?\nok",
      "size",
    ]);
  });

  test("an address is told where no client can open it", async () => {
    await using harness = new GatewayHarness();
    const params = {
      mode: "url",
      message: "Log in",
      url: "https://example.com/in?a=1",
      elicitationId: "1",
    } as const;
    harness.upstreams.play = legacyServer({ method: "elicitation/create", params });
    await harness.initialize();
    const text = String(said(await harness.call("read")));
    expect(text).toContain('[{"action":"cancel"}]');
    expect(text).toContain(
      "files asks you to open a page of example.com: Log in\nhttps://example.com/in?a=1",
    );
  });

  test.each(["javascript:alert(1)", "file:///etc/passwd", "no address"])(
    "%s is never shown",
    async (url) => {
      await using harness = new GatewayHarness();
      const params = { mode: "url", message: "Log in", url, elicitationId: "1" } as const;
      harness.upstreams.play = legacyServer({ method: "elicitation/create", params });
      await harness.initialize({ elicitation: { url: {} } });
      expect(said(await harness.call("read"))).toContain("it names no http(s) address");
    },
  );

  test("the sixth question of a call, and a second at a time, are refused", async () => {
    await using harness = new GatewayHarness();
    harness.upstreams.play = async ({ events }) => {
      const two = await Promise.allSettled([events.ask(roots), events.ask(roots)]);
      const more: string[] = [];
      for (let count = 0; count < 6; count++) {
        more.push(
          await events.ask(roots).then(
            () => "ok",
            (error: Error) => error.message,
          ),
        );
      }
      return textReply(JSON.stringify([two.map(({ status }) => status), more]));
    };
    await harness.initialize();
    const tooMuch = "files asks too much in one call.";
    expect(said(await harness.call("read"))).toBe(
      JSON.stringify([
        ["fulfilled", "rejected"],
        ["ok", "ok", "ok", "ok", tooMuch, tooMuch],
      ]),
    );
  });

  test("a stateless server that asks for ever is given up", async () => {
    await using harness = new GatewayHarness();
    harness.upstreams.play = () => ({ kind: "input-required", requests: { q: roots } });
    await harness.initialize();
    expect(said(await harness.call("read"))).toEqual({
      isError: "files asks the user again and again: the call was given up after 5 questions.",
    });
  });
});
