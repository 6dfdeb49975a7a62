import { describe, expect, test } from "bun:test";
import { ownMeta } from "../protocol/own-meta.ts";
import { everyFeature, prompt } from "./fake-features.ts";
import { error, modern, request, result, startServer, startSession } from "./harness.ts";

describe("prompts/list", () => {
  test("HP10: modern", async () => {
    const { exchange } = startServer(0, everyFeature());
    expect(await exchange(1, modern(1, "prompts/list"))).toEqual([
      result(1, {
        resultType: "complete",
        prompts: [prompt],
        ttlMs: 5_000,
        cacheScope: "private",
        _meta: ownMeta,
      }),
    ]);
  });

  test("legacy; an unknown cursor is -32602", async () => {
    const { exchange } = await startSession("2024-11-05", {}, everyFeature());
    const [list, refused] = await exchange(
      2,
      request(1, "prompts/list"),
      request(2, "prompts/list", { cursor: "x" }),
    );
    expect(list).toEqual(result(1, { prompts: [prompt] }));
    expect(refused).toMatchObject({ id: 2, error: { code: -32602 } });
  });
});

describe("prompts/get", () => {
  const get = (params: unknown): unknown => request(1, "prompts/get", params);

  test.each([
    [{ who: "me" }, '{"who":"me"}'],
    [{ who: "", tone: "loud", other: "x" }, '{"who":"","tone":"loud","other":"x"}'],
  ])("gives the arguments %j on", async (args, text) => {
    const { exchange } = await startSession("2025-06-18", {}, everyFeature());
    expect(await exchange(1, get({ name: "greet", arguments: args }))).toEqual([
      result(1, { messages: [{ role: "user", content: { type: "text", text } }] }),
    ]);
  });

  test.each([
    [undefined, "name must be a prompt's name"],
    [{}, "name must be a prompt's name"],
    [{ name: "" }, "name must be a prompt's name"],
    [{ name: 5 }, "name must be a prompt's name"],
    [{ name: "greet", arguments: [] }, "arguments must be an object"],
    [{ name: "greet", arguments: null }, "arguments must be an object"],
    [{ name: "greet", arguments: { who: 5 } }, "the argument who must be a string"],
    [{ name: "greet", arguments: { who: null } }, "the argument who must be a string"],
    [{ name: "no" }, 'there is no prompt "no"'],
    [{ name: "__proto__" }, 'there is no prompt "__proto__"'],
    [{ name: "greet" }, 'the prompt "greet" needs the arguments who'],
    [{ name: "greet", arguments: { tone: "x" } }, 'the prompt "greet" needs the arguments who'],
  ])("refuses %j", async (params, message) => {
    const { exchange } = await startSession("2025-06-18", {}, everyFeature());
    expect(await exchange(1, get(params))).toEqual([
      error(1, -32602, `Invalid params: ${message}`),
    ]);
  });

  test("an argument named like a member of every object is one like any other", async () => {
    const { exchange } = await startSession("2025-06-18", {}, everyFeature());
    const text = '{"who":"me","__proto__":"x","toString":"y"}';
    const args = JSON.parse(text) as unknown;
    expect(await exchange(1, get({ name: "greet", arguments: args }))).toEqual([
      result(1, { messages: [{ role: "user", content: { type: "text", text } }] }),
    ]);
  });
});
