import { describe, expect, test } from "bun:test";

import { JsonText } from "../../../src/base/weight.ts";
import { upstreamToolOf } from "../../../src/calls/call-target.ts";
import type { UpstreamReply } from "../../../src/upstream/upstreams.ts";
import { notification } from "../../server/harness.ts";
import { eventually } from "../../e2e/harness/conditions.ts";
import { FakeUpstreams, snapshotOf } from "./fake-upstreams.ts";
import { GatewayHarness, said } from "./gateway-harness.ts";

const json = (result: object): UpstreamReply => ({
  kind: "result",
  json: new JsonText(JSON.stringify(result)),
});

const uri = "scorpiox://mcp/files/file:///a b.txt";
const templateUri = "scorpiox://mcp/files/file:///{path}";

const offers = (): FakeUpstreams =>
  new FakeUpstreams(
    snapshotOf({
      resources: [{ uri, name: "a" }],
      templates: [{ uriTemplate: templateUri, name: "t" }],
      prompts: [
        {
          server: "files",
          prompt: "sum up",
          listing: { name: "mcp__files__sum_up", arguments: [{ name: "path", required: true }] },
        },
      ],
    }),
  );

interface Reply {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

const resultOf = (reply: unknown): unknown => (reply as Reply).result;

describe("resources of other servers (RP1, RP2)", () => {
  test("are listed and read under addresses of ours", async () => {
    await using harness = new GatewayHarness({ upstreams: offers() });
    harness.upstreams.play = () =>
      json({ contents: [{ uri, text: "hi", mimeType: "text/plain" }] });
    await harness.initialize();
    expect(resultOf(await harness.send("resources/list", {}))).toEqual({
      resources: [{ uri, name: "a" }],
    });
    expect(resultOf(await harness.send("resources/templates/list", {}))).toEqual({
      resourceTemplates: [{ uriTemplate: templateUri, name: "t" }],
    });
    const address = encodeURI(uri);
    expect(resultOf(await harness.send("resources/read", { uri: address }))).toEqual({
      contents: [{ uri, text: "hi", mimeType: "text/plain" }],
    });
    const [played] = harness.upstreams.calls;
    expect([played?.call.server, played?.call.method, played?.call.params]).toEqual([
      "files",
      "resources/read",
      { uri: "file:///a%20b.txt" },
    ]);
  });

  test.each<[string, UpstreamReply, object]>([
    [
      "what it does not have",
      { kind: "fault", fault: { code: -32002, message: "gone" } },
      { code: -32002, message: "Resource not found" },
    ],
    [
      "its own error",
      { kind: "fault", fault: { code: -32050, message: "odd" } },
      { code: -32050, message: "odd" },
    ],
    [
      "a server that cannot be reached",
      { kind: "failed", text: "files is gone", reason: "unreachable" },
      { code: -32603, message: "files is gone" },
    ],
  ])("%s is told", async (_about, reply, error) => {
    await using harness = new GatewayHarness({ upstreams: offers() });
    harness.upstreams.play = () => reply;
    await harness.initialize();
    const read = await harness.send("resources/read", { uri: "scorpiox://mcp/files/x:y" });
    expect((read as Reply).error).toMatchObject(error);
  });

  test("each reading is told to the audit log, however it ends", async () => {
    await using harness = new GatewayHarness({ upstreams: offers() });
    await harness.initialize();
    const replies: UpstreamReply[] = [
      json({ contents: [{ uri, text: "hi" }] }),
      { kind: "fault", fault: { code: -32050, message: "odd" } },
      { kind: "failed", text: "files is gone", reason: "unreachable" },
    ];
    for (const reply of replies) {
      harness.upstreams.play = () => reply;
      await harness.send("resources/read", { uri: "scorpiox://mcp/files/x:y" });
    }
    const lines = harness.watched.map(([{ name, args, target }, { decision, outcome }]) => [
      name,
      args,
      upstreamToolOf(target)?.server,
      decision,
      outcome,
    ]);
    const reading = ["resources/read", { uri: "x:y" }, "files", "allowed"];
    expect(lines).toEqual([
      [...reading, "result"],
      [...reading, "fault"],
      [...reading, undefined],
    ]);
  });

  test("of a server that there is not are not found", async () => {
    await using harness = new GatewayHarness({ upstreams: offers() });
    await harness.initialize();
    const read = await harness.send("resources/read", { uri: "scorpiox://mcp/nobody/x:y" });
    expect((read as Reply).error).toMatchObject({ code: -32002 });
    expect(harness.upstreams.calls).toEqual([]);
  });

  test("their server may ask the user while one is read", async () => {
    await using harness = new GatewayHarness({ upstreams: offers() });
    harness.upstreams.play = async ({ events }) => {
      const requestedSchema = { type: "object" as const, properties: {} };
      const answer = await events.ask({
        method: "elicitation/create",
        params: { message: "?", requestedSchema },
      });
      return json({ contents: [{ uri, text: String(answer["action"]) }] });
    };
    await harness.initialize({ elicitation: {} });
    const reading = harness.send("resources/read", { uri: encodeURI(uri) }, 70);
    await harness.answerNext({ action: "decline" });
    expect(resultOf(await reading)).toEqual({ contents: [{ uri, text: "decline" }] });
  });
});

describe("subscriptions to resources of other servers (RP4)", () => {
  const address = encodeURI(uri);

  test("legacy: asked there, told here, and released", async () => {
    await using harness = new GatewayHarness({ upstreams: offers() });
    await harness.initialize();
    expect(resultOf(await harness.send("resources/subscribe", { uri: address }))).toEqual({});
    expect([...harness.upstreams.subscribed]).toEqual([`stdio ${address}`]);
    harness.upstreams.emit({ kind: "resource-updated", uri: address });
    const told = await harness.until(({ method }) => method === "notifications/resources/updated");
    expect(told["params"]).toEqual({ uri: address });
    await harness.send("resources/unsubscribe", { uri: address });
    expect([...harness.upstreams.subscribed]).toEqual([]);
  });

  test("a server that cannot is said so", async () => {
    await using harness = new GatewayHarness({ upstreams: offers() });
    harness.upstreams.canSubscribe = () => false;
    await harness.initialize();
    const reply = await harness.send("resources/subscribe", { uri: address });
    expect((reply as Reply).error).toMatchObject({ code: -32602 });
  });

  test("modern: what cannot be watched is not acknowledged, and the end releases the rest", async () => {
    await using harness = new GatewayHarness({ upstreams: offers() });
    const other = "scorpiox://mcp/web/x:y";
    harness.upstreams.canSubscribe = (asked) => asked === address;
    const notifications = { resourceSubscriptions: [address, other] };
    void harness.modern("subscriptions/listen", { notifications });
    const { params } = (await harness.until(({ method }) =>
      String(method).endsWith("acknowledged"),
    )) as { params?: { notifications: object } };
    expect(params?.notifications).toEqual({ resourceSubscriptions: [address] });
    harness.upstreams.emit({ kind: "resource-updated", uri: address });
    await harness.until(({ method }) => method === "notifications/resources/updated");
    harness.transport.deliver(notification("notifications/cancelled", { requestId: 1 }));
    await eventually("it is released", () => harness.upstreams.subscribed.size === 0);
  });

  test("a client that goes releases what it has", async () => {
    await using harness = new GatewayHarness({ upstreams: offers() });
    await harness.initialize();
    await harness.send("resources/subscribe", { uri: address });
    harness.gateway.endClient("stdio");
    expect([[...harness.upstreams.subscribed], harness.upstreams.ended]).toEqual([[], ["stdio"]]);
  });
});

describe("prompts of other servers (RP3)", () => {
  test("are listed and got by their names here", async () => {
    await using harness = new GatewayHarness({ upstreams: offers() });
    const messages = [{ role: "user", content: { type: "text", text: "Sum up." } }];
    harness.upstreams.play = () => json({ messages, description: "d" });
    await harness.initialize();
    expect(resultOf(await harness.send("prompts/list", {}))).toMatchObject({
      prompts: [{ name: "mcp__files__sum_up" }],
    });
    const name = "mcp__files__sum_up";
    const got = await harness.send("prompts/get", { name, arguments: { path: "a" } });
    expect(resultOf(got)).toEqual({ description: "d", messages });
    expect(harness.upstreams.calls[0]?.call.params).toEqual({
      name: "sum up",
      arguments: { path: "a" },
    });
    expect(said(await harness.send("prompts/get", { name }))).toMatchObject({ code: -32602 });
  });

  test.each<[string, object, object]>([
    [
      "a prompt",
      { type: "ref/prompt", name: "mcp__files__sum_up" },
      { type: "ref/prompt", name: "sum up" },
    ],
    [
      "a template",
      { type: "ref/resource", uri: templateUri },
      { type: "ref/resource", uri: "file:///{path}" },
    ],
  ])("arguments of %s are completed by its server", async (_about, ref, there) => {
    await using harness = new GatewayHarness({ upstreams: offers() });
    harness.upstreams.play = () => json({ completion: { values: ["a.txt", "b.txt"] } });
    await harness.initialize();
    const argument = { name: "path", value: "a" };
    expect(resultOf(await harness.send("completion/complete", { ref, argument }))).toMatchObject({
      completion: { values: ["a.txt", "b.txt"] },
    });
    expect(harness.upstreams.calls[0]?.call.params).toEqual({ ref: there, argument });
  });

  test("a server that cannot complete has nothing that fits", async () => {
    await using harness = new GatewayHarness({ upstreams: offers() });
    harness.upstreams.play = () => ({ kind: "fault", fault: { code: -32601, message: "no" } });
    await harness.initialize();
    const ref = { type: "ref/prompt", name: "mcp__files__sum_up" };
    const argument = { name: "path", value: "" };
    expect(resultOf(await harness.send("completion/complete", { ref, argument }))).toMatchObject({
      completion: { values: [] },
    });
  });
});
