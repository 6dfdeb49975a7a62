import { describe, expect, test } from "bun:test";

import { Changes } from "../../../src/calls/features.ts";
import type { ToolListing } from "../../../src/protocol/tool-types.ts";
import { ServerContext } from "../../../src/server/context/server-context.ts";
import { until } from "../../commands/process/until.ts";
import { mirrored, modernMessage } from "../../e2e/harness/http-client.ts";
import { FakeTools, listings, request } from "../harness.ts";
import { type EndpointFixture, startEndpoint } from "./endpoint-fixture.ts";
import { post, postModern, read } from "./exchange.ts";

const echo = { name: "Echo", arguments: {} };

describe("ModernHttp", () => {
  test("takes as many requests as there may be under way", async () => {
    using fixture = startEndpoint({ requestsMax: 2 });
    const open = [postModern(fixture, echo), postModern(fixture, echo)];
    await until(() => fixture.tools.calls.length === 2);
    const refused = await postModern(fixture, echo);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    fixture.tools.answer(0);
    expect((await open[0])?.status).toBe(200);
    const third = postModern(fixture, echo);
    await until(() => fixture.tools.calls.length === 3);
    fixture.tools.answer(1);
    fixture.tools.answer(2);
    expect((await Promise.all([...open, third])).map(({ status }) => status)).toEqual([
      200, 200, 200,
    ]);
  });

  test("one principal has its part of the requests under way", async () => {
    using fixture = startEndpoint({ requestsMax: 4, principalPart: 0.5 });
    const call = (authorization: string): Promise<Response> =>
      postModern(fixture, echo, { authorization });
    const open = [call("a"), call("a")];
    await until(() => fixture.tools.calls.length === 2);
    expect((await call("a")).status).toBe(503);
    open.push(call("b"));
    await until(() => fixture.tools.calls.length === 3);
    for (const number of [0, 1, 2]) fixture.tools.answer(number);
    expect((await Promise.all(open)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test("subscriptions have places of their own, which their end gives back", async () => {
    const tools = new FakeTools();
    using fixture = startEndpoint({
      server: serverOf(tools, ["tools"]),
      requestsMax: 1,
      subscriptionsMax: 2,
    });
    const message = modernMessage(1, "subscriptions/listen", { notifications: {} });
    const listen = (): Promise<Response> => post(fixture, message, mirrored(message));
    const subscriptions = [await listen(), await listen()];
    expect((await listen()).status).toBe(503);
    const answer = postModern(fixture, echo);
    await until(() => tools.calls.length === 1);
    tools.answer(0);
    expect((await answer).status).toBe(200);
    await subscriptions[0]?.body?.cancel();
    expect([(await listen()).status, (await listen()).status]).toEqual([200, 503]);
  });

  const isCancelled = (fixture: EndpointFixture): boolean =>
    fixture.tools.calls[0]?.request.cancellation.isCancelled === true;

  test("a client that goes before its response begins has cancelled", async () => {
    using fixture = startEndpoint();
    const abort = new AbortController();
    const response = postModern(fixture, echo, {}, abort.signal);
    response.catch(() => {});
    await until(() => fixture.tools.calls.length === 1);
    expect(isCancelled(fixture)).toBe(false);
    abort.abort();
    await until(() => isCancelled(fixture));
  });

  test("a client that closes the stream of its response has cancelled", async () => {
    using fixture = startEndpoint();
    const _meta = { progressToken: "t" };
    const response = postModern(fixture, { ...echo, _meta });
    await until(() => fixture.tools.calls.length === 1);
    fixture.tools.calls[0]?.request.onProgress?.("begun");
    await (await response).body?.cancel();
    expect(isCancelled(fixture)).toBe(true);
  });

  test("a client that was gone before its request was read has cancelled", async () => {
    let markGone: (() => void) | undefined;
    using fixture = startEndpoint({
      authorize: (request) => {
        // What a connection that breaks meanwhile looks like, without a connection.
        const abort = new AbortController();
        Object.defineProperty(request, "signal", { value: abort.signal });
        markGone = () => abort.abort();
        return { kind: "ok", principal: { id: "local", scopes: undefined } };
      },
    });
    const response = postModern(fixture, echo);
    markGone?.();
    await until(() => isCancelled(fixture));
    await response;
  });
});

describe("ModernHttp, what is not as the method wants it", () => {
  const faultOf = async (response: Response): Promise<unknown> => {
    const { error } = (await response.json()) as { error?: { code: number } };
    return [response.status, error?.code];
  };

  test.each<[string, Record<string, string>]>([
    ["without headers", {}],
    ["with a legacy header", { "mcp-protocol-version": "2025-11-25" }],
    ["with a modern header", { "mcp-protocol-version": "2026-07-28" }],
  ])("HP1: server/discover without envelope, %s, is a bad envelope", async (_, headers) => {
    using fixture = startEndpoint();
    const response = await post(fixture, request(1, "server/discover"), headers);
    expect(await faultOf(response)).toEqual([400, -32602]);
  });

  test.each([[5], [true], [null], [undefined], [{}]])(
    "HP4: the tool name %p without header is a bad parameter",
    async (name) => {
      using fixture = startEndpoint();
      const message = modernMessage(1, "tools/call", { name, arguments: {} });
      const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call" };
      const response = await post(fixture, message, headers);
      expect([await faultOf(response), fixture.tools.calls]).toEqual([[200, -32602], []]);
    },
  );
});

/** Offers the tools of `tools`; what is in `changing` can be subscribed to. */
function serverOf(tools: FakeTools, changing: readonly "tools"[] = []): ServerContext {
  return new ServerContext({
    features: { tools, changes: new Changes(), changing: new Set(changing) },
    instructions: "",
    stateKey: () => Promise.resolve(new Uint8Array(32)),
  });
}

/** A tool whose arguments travel as headers too. */
class AnnotatedRouter extends FakeTools {
  readonly #listings: readonly ToolListing[] = listings.map((listing) => ({
    ...listing,
    inputSchema: {
      type: "object",
      properties: {
        region: { type: "string", "x-mcp-header": "Region" },
        level: { type: "integer", "x-mcp-header": "Level" },
        dry: { type: "boolean", "x-mcp-header": "Dry" },
        deep: { type: "object", properties: { x: { type: "string", "x-mcp-header": "X" } } },
      },
    },
  }));

  override list(): readonly ToolListing[] {
    return this.#listings;
  }
}

describe("HP4: arguments that travel as headers", () => {
  const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`;
  const refused = [400, false];
  const served = [200, true];

  test.each<[string, object, Record<string, string>, (number | boolean)[]]>([
    ["none", {}, {}, served],
    ["a string", { region: "eu" }, { "mcp-param-region": "eu" }, served],
    ["outer blanks", { region: "eu" }, { "mcp-param-region": " eu\t" }, served],
    ["base64", { region: "ü b" }, { "mcp-param-region": base64("ü b") }, served],
    ["another name's case", { region: "eu" }, { "MCP-PARAM-REGION": "eu" }, served],
    ["another value", { region: "eu" }, { "mcp-param-region": "us" }, refused],
    ["another value's case", { region: "eu" }, { "mcp-param-region": "EU" }, refused],
    ["bad base64", { region: "eu" }, { "mcp-param-region": "=?base64?ZXU?=" }, refused],
    ["an argument without header", { region: "eu" }, {}, refused],
    ["a header without argument", {}, { "mcp-param-region": "eu" }, refused],
    ["null with header", { region: null }, { "mcp-param-region": "null" }, refused],
    ["null without header", { region: null }, {}, served],
    ["an integer", { level: 42 }, { "mcp-param-level": "42" }, served],
    ["an integer with a fraction", { level: 42 }, { "mcp-param-level": "42.0" }, served],
    ["zero", { level: 0 }, { "mcp-param-level": "0" }, served],
    ["another integer", { level: 42 }, { "mcp-param-level": "43" }, refused],
    ["an integer in hexadecimal", { level: 42 }, { "mcp-param-level": "0x2a" }, refused],
    ["false", { dry: false }, { "mcp-param-dry": "false" }, served],
    ["a boolean's case", { dry: true }, { "mcp-param-dry": "True" }, refused],
    ["one below", { deep: { x: "a" } }, { "mcp-param-x": "a" }, served],
    ["one below without header", { deep: { x: "a" } }, {}, refused],
    ["an unknown one", {}, { "mcp-param-other": "x" }, served],
  ])("%s", async (_, args, headers, [status, hasRun]) => {
    const tools = new AnnotatedRouter();
    using fixture = startEndpoint({
      server: serverOf(tools),
    });
    const answer = postModern(fixture, { name: "Echo", arguments: args }, headers);
    if (hasRun === true) await until(() => tools.calls.length === 1);
    tools.answer(0);
    const response = await answer;
    expect([response.status, tools.calls.length === 1]).toEqual([Number(status), hasRun === true]);
    const reader = read(response);
    await reader.ended;
    const [message] = reader.messages;
    expect(message?.error?.code).toBe(hasRun === true ? undefined : -32020);
    expect(message?.id).toBe(1);
  });
});
