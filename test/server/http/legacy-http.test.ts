import { describe, expect, test } from "bun:test";

import { until } from "../../commands/process/until.ts";
import { request, result } from "../harness.ts";
import { startEndpoint } from "./endpoint-fixture.ts";
import { beginSession, get, post, read } from "./exchange.ts";

const call = (id: string | number): object =>
  request(id, "tools/call", { name: "Echo", arguments: {} });
const form = {
  name: {
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
} as const;

describe("LegacyHttp", () => {
  test("U-cross: the log level is the session's", async () => {
    using fixture = startEndpoint();
    const sessions = [await beginSession(fixture), await beginSession(fixture)] as const;
    await post(fixture, request(1, "logging/setLevel", { level: "error" }), sessions[0]);
    await post(fixture, request(1, "logging/setLevel", { level: "debug" }), sessions[1]);
    const answers = sessions.map((session) => post(fixture, call("same"), session));
    await until(() => fixture.tools.calls.length === 2);
    for (const { request: asked } of fixture.tools.calls) {
      asked.log?.("info", "said");
      asked.log?.("critical", "cried");
    }
    fixture.tools.answer(0);
    fixture.tools.answer(1);
    const said = await Promise.all(
      answers.map(async (answer) => {
        const reader = read(await answer);
        await reader.ended;
        return reader.messages.map(({ id, params }) => id ?? params?.["data"]);
      }),
    );
    expect(said).toEqual([
      ["cried", "same"],
      ["said", "cried", "same"],
    ]);
  });

  test("U-cross: the client is asked on the stream of its call, and its session alone can answer", async () => {
    using fixture = startEndpoint();
    const sessions = [
      await beginSession(fixture, "2025-06-18", { elicitation: {} }),
      await beginSession(fixture, "2025-06-18", { elicitation: {} }),
    ] as const;
    const readers = sessions.map((session) => post(fixture, call("same"), session).then(read));
    await until(() => fixture.tools.calls.length === 2);
    const answers = fixture.tools.calls.map(
      ({ request: asked }) => asked.ask?.ask(form) ?? Promise.reject(new Error("cannot be asked")),
    );
    const [one, other] = await Promise.all(readers);
    if (one === undefined || other === undefined) throw new Error("not both have answered");
    const isAsking = ({ method }: { method?: string }): boolean => method === "elicitation/create";
    const asked = await Promise.all([one, other].map((each) => each.message("it", isAsking)));
    const reply = (place: number, name: string): unknown =>
      result(asked[place]?.id, { action: "accept", content: { name } });
    // Ids are counted for each session: the same one is open in both.
    expect(asked[0]?.id).toBe(asked[1]?.id ?? Number.NaN);
    await post(fixture, reply(1, "Bob"), sessions[1]);
    await post(fixture, reply(0, "Ada"), sessions[0]);
    const names = (await Promise.all(answers)).map((each) => each["name"]);
    expect(names).toEqual([
      { action: "accept", content: { name: "Ada" } },
      { action: "accept", content: { name: "Bob" } },
    ]);
    fixture.tools.answer(0);
    fixture.tools.answer(1);
    await Promise.all([one.reply("same"), other.reply("same")]);
  });

  test("2025-11-25: a stream ended early says when to come back, and gives the rest then", async () => {
    using fixture = startEndpoint();
    const session = await beginSession(fixture);
    const answer = post(fixture, call(1), session);
    await until(() => fixture.tools.calls.length === 1);
    fixture.tools.calls[0]?.request.closeStream?.();
    const first = read(await answer);
    await first.ended;
    expect(first.events).toEqual([
      { id: expect.any(String), data: "" },
      { retry: expect.any(Number) as number },
    ]);
    const resumed = read(
      await get(fixture, { ...session, "last-event-id": first.lastEventId ?? "" }),
    );
    fixture.tools.answer(0);
    expect(await resumed.reply(1)).toMatchObject({ result: { content: [] } });
  });

  test.each(["2025-03-26", "2025-06-18"])("%s: no stream is ended early", async (version) => {
    using fixture = startEndpoint();
    const session = await beginSession(fixture, version);
    const answer = post(fixture, call(1), session);
    await until(() => fixture.tools.calls.length === 1);
    expect(fixture.tools.calls[0]?.request.closeStream).toBeUndefined();
    fixture.tools.answer(0);
    expect((await answer).status).toBe(200);
  });
});
