import { describe, expect, test } from "bun:test";
import {
  entriesPerPageMax,
  uriCharsMax,
  watchedCharsMax,
  watchedResourcesMax,
} from "../../src/base/limits.ts";
import { ownMeta } from "../protocol/own-meta.ts";
import { everyFeature, FakeResources, manyResources, resource, watched } from "./fake-features.ts";
import { error, modern, request, result, startServer, startSession } from "./harness.ts";

const around = { resultType: "complete", _meta: ownMeta };

function faultOf(reply: unknown): unknown {
  return (reply as { error?: unknown }).error;
}

describe("resources/list and resources/templates/list", () => {
  test("HP10: modern, of a list that changes", async () => {
    const { exchange } = startServer(0, everyFeature());
    const hints = { ttlMs: 5_000, cacheScope: "private" };
    expect(
      await exchange(2, modern(1, "resources/list"), modern(2, "resources/templates/list")),
    ).toEqual([
      result(1, { ...around, ...hints, resources: [resource] }),
      result(2, {
        ...around,
        ...hints,
        resourceTemplates: [{ uriTemplate: "test://{id}", name: "t" }],
      }),
    ]);
  });

  test("HP10: a list that never changes may be kept for some minutes", async () => {
    const { exchange } = startServer(0, { ...everyFeature(), changing: new Set() });
    const [reply] = await exchange(1, modern(1, "resources/list"));
    expect(reply).toMatchObject({ result: { ttlMs: 300_000, cacheScope: "private" } });
  });

  test("HP12: legacy, in the shape of the session", async () => {
    const { exchange } = await startSession("2025-03-26", {}, everyFeature());
    expect(await exchange(1, request(1, "resources/list"))).toEqual([
      result(1, { resources: [{ uri: "test://a", name: "a" }] }),
    ]);
  });

  test("come in pages; a cursor ends with its list", async () => {
    const resources = new FakeResources();
    const entries = manyResources(entriesPerPageMax + 1);
    resources.listed = entries;
    const { exchange } = await startSession("2025-06-18", {}, { resources });
    const [first] = await exchange(1, request(1, "resources/list"));
    const { nextCursor: cursor } = (first as { result: { nextCursor: string } }).result;
    expect(first).toEqual(
      result(1, { resources: entries.slice(0, entriesPerPageMax), nextCursor: cursor }),
    );
    const next = request(2, "resources/list", { cursor });
    resources.listed = [...entries];
    expect(await exchange(1, next)).toEqual([
      result(2, { resources: entries.slice(entriesPerPageMax) }),
    ]);
    resources.listed = manyResources(entriesPerPageMax + 2);
    const unknown =
      "Invalid params: cursor is unknown, or the list has changed; ask without a cursor for the first page";
    expect(await exchange(1, next)).toEqual([error(2, -32602, unknown)]);
    expect(await exchange(1, request(3, "resources/list", { cursor: "" }))).toEqual([
      error(3, -32602, unknown),
    ]);
  });
});

describe("resources/read", () => {
  test("HP10: is not to be kept unless its provider says so", async () => {
    const { exchange } = startServer(0, everyFeature());
    expect(await exchange(1, modern(1, "resources/read", { uri: "test://a" }))).toEqual([
      result(1, {
        ...around,
        contents: [{ uri: "test://a", text: "content" }],
        ttlMs: 0,
        cacheScope: "private",
      }),
    ]);
  });

  test("HP10: what was made of answers is not to be kept, whatever its provider says", async () => {
    const resources = new FakeResources();
    const kept = { ttlMs: 7, cacheScope: "public" } as const;
    const none = { ttlMs: 0, cacheScope: "private" };
    resources.read = async (uri, { ask }) => {
      if (uri === "test://asks") await ask?.ask({ a: { method: "roots/list" } });
      return { contents: [{ uri, text: "content" }], cacheHints: kept };
    };
    const { exchange } = startServer(0, { resources });
    const read = async (params: object): Promise<{ result: Record<string, unknown> }> => {
      const [reply] = await exchange(1, modern(1, "resources/read", params, { roots: {} }));
      return reply as { result: Record<string, unknown> };
    };
    const plain = { uri: "test://a" };
    expect(await read(plain)).toMatchObject({ result: kept });
    expect(await read({ ...plain, inputResponses: {} })).toMatchObject({ result: none });
    const asking = { uri: "test://asks" };
    const { requestState } = (await read(asking)).result;
    const answered = { ...asking, requestState, inputResponses: { a: { roots: [] } } };
    expect(await read(answered)).toMatchObject({ result: none });
  });

  test.each(["test://no", "test://empty"])(
    "%s does not exist: never empty contents",
    async (uri) => {
      const { exchange } = await startSession("2025-11-25", {}, everyFeature());
      const params = { uri };
      const replies = await exchange(
        2,
        modern(1, "resources/read", params),
        request(2, "resources/read", params),
      );
      const fault = { message: "Resource not found", data: { uri } };
      expect(replies.map(faultOf)).toEqual([
        { code: -32602, ...fault },
        { code: -32002, ...fault },
      ]);
    },
  );

  test.each([
    [undefined, "Invalid params: uri must be a URI"],
    [{}, "Invalid params: uri must be a URI"],
    [{ uri: 5 }, "Invalid params: uri must be a URI"],
    [{ uri: "" }, "Invalid params: uri must be a URI"],
    [{ uri: "test://a/../b" }, 'Invalid params: uri must not have ".." as a part of its path'],
  ])("refuses %j", async (params, message) => {
    const { exchange } = await startSession("2025-11-25", {}, everyFeature());
    expect(await exchange(1, request(1, "resources/read", params))).toEqual([
      error(1, -32602, message),
    ]);
  });

  test("a provider that fails is an internal error", async () => {
    const { exchange } = startServer(0, everyFeature());
    const [reply] = await exchange(1, modern(1, "resources/read", { uri: "test://broken" }));
    expect(faultOf(reply)).toMatchObject({ code: -32603 });
  });
});

describe("resources/subscribe and resources/unsubscribe", () => {
  test("answer with an empty result, again and again", async () => {
    const { exchange } = await startSession("2025-06-18", {}, everyFeature());
    const params = { uri: watched };
    const messages = [1, 2, 3, 4].map((id) =>
      request(id, id < 3 ? "resources/subscribe" : "resources/unsubscribe", params),
    );
    expect(await exchange(4, ...messages)).toEqual([1, 2, 3, 4].map((id) => result(id, {})));
  });

  test.each(["resources/subscribe", "resources/unsubscribe"])("%s needs a URI", async (method) => {
    const { exchange } = await startSession("2025-06-18", {}, everyFeature());
    expect(await exchange(1, request(1, method, { uri: "no" }))).toEqual([
      error(1, -32602, "Invalid params: uri must begin with a scheme, as in file:///a"),
    ]);
  });

  test("what never changes cannot be subscribed to", async () => {
    const { exchange } = await startSession("2025-06-18", {}, everyFeature());
    const [reply] = await exchange(1, request(1, "resources/subscribe", { uri: "test://a" }));
    expect(faultOf(reply)).toMatchObject({ code: -32602, data: { uri: "test://a" } });
  });

  test("their number is bounded", async () => {
    const { exchange } = await startSession("2025-06-18", {}, everyFeature());
    const subscribe = (number: number): unknown =>
      request(number, "resources/subscribe", { uri: `${watched}/${number}` });
    const all = Array.from({ length: watchedResourcesMax }, (_, number) => subscribe(number));
    const replies = await exchange(watchedResourcesMax, ...all);
    expect(replies.filter((reply) => faultOf(reply) !== undefined)).toEqual([]);
    const [tooMany, known] = await exchange(2, subscribe(watchedResourcesMax), subscribe(0));
    expect([faultOf(tooMany), known]).toMatchObject([{ code: -32602 }, result(0, {})]);
  });

  test("and so are the characters of all together", async () => {
    const { exchange } = await startSession("2025-06-18", {}, everyFeature());
    const count = watchedCharsMax / uriCharsMax;
    const subscribe = (number: number): unknown => {
      const uri = `${watched}/${number}`.padEnd(uriCharsMax, "x");
      return request(number, "resources/subscribe", { uri });
    };
    const all = Array.from({ length: count }, (_, number) => subscribe(number));
    const replies = await exchange(count, ...all);
    expect(replies.filter((reply) => faultOf(reply) !== undefined)).toEqual([]);
    const [tooMany, known] = await exchange(2, subscribe(count), subscribe(0));
    expect([faultOf(tooMany), known]).toMatchObject([{ code: -32602 }, result(0, {})]);
  });

  test("HP3: do not exist in the modern era", async () => {
    const { exchange } = startServer(0, everyFeature());
    const [reply] = await exchange(1, modern(1, "resources/subscribe", { uri: watched }));
    expect(faultOf(reply)).toMatchObject({ code: -32601 });
  });
});
