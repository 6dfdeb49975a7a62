import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";

import { faultyBinary } from "./harness/binary.ts";
import type { EventReader } from "./harness/http-events.ts";
import { onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { metaKeys, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import type { ServerMessage } from "./harness/server.ts";

setDefaultTimeout(testMsMax);

const laptop = "laptop-0123456789abcdef";
const desk = "desk-0123456789abcdef";

let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start({
    binary: faultyBinary,
    tokens: [`laptop ${laptop}`, `desk ${desk}`],
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const order = { name: "AskingOrder", arguments: { seconds: 0 } };
const soup = { action: "accept", content: { dish: "soup" } };
const tea = { action: "accept", content: { drink: "tea" } };

/** The question with this text, on this stream. */
function question(reader: EventReader, text: string): Promise<ServerMessage> {
  return reader.message(text, ({ method, params }) => {
    return method === "elicitation/create" && params?.["message"] === text;
  });
}

describe("questions in a session", () => {
  test.each(["2025-06-18", "2025-11-25"])(
    "[http.ask] %s: they come on the stream of the call, and so does its result",
    async (version) => {
      const session = await server.initialize(version, { elicitation: {} });
      const own = await session.listen();
      const open = await session.open("tools/call", order, 1);
      const dish = await question(open, "Which dish?");
      expect((await session.respond(dish.id, soup)).status).toBe(202);
      const drink = await question(open, "And to drink with soup?");
      await session.respond(drink.id, tea);
      expect(textOf(await open.reply(1))).toStartWith("started\nsoup and tea\n");
      await own.close();
      expect(own.messages).toEqual([]);
    },
  );

  test("[http.ask] a client that lost its connection finds the question again", async () => {
    const session = await server.initialize("2025-11-25", { elicitation: {} });
    const open = await session.open("tools/call", order, 1);
    const [priming] = [await open.event("the priming event", ({ data }) => data === "")];
    await question(open, "Which dish?");
    await open.close();
    const resumed = await session.listen(priming.id);
    const dish = await question(resumed, "Which dish?");
    await session.respond(dish.id, soup);
    const drink = await question(resumed, "And to drink with soup?");
    await session.respond(drink.id, tea);
    expect(textOf(await resumed.reply(1))).toContain("soup and tea");
  });
});

describe("HP7: the state of a round", () => {
  const capabilities = { elicitation: { form: {} } };

  /** One round of the call, by the holder of this token. */
  async function round(token: string, call: object, more: object = {}): Promise<ServerMessage> {
    const params = { ...call, ...more, _meta: { [metaKeys.capabilities]: capabilities } };
    return onlyMessage(await server.client.withToken(token).modern("tools/call", params));
  }

  async function firstState(): Promise<string> {
    const { result } = await round(laptop, order);
    expect(result?.["resultType"]).toBe("input_required");
    return String(result?.["requestState"]);
  }

  const answered = (requestState: unknown): object => ({
    inputResponses: { reply: soup },
    requestState,
  });
  const flipped = (text: string): string => {
    const place = Math.floor(text.length / 2);
    return text.slice(0, place) + (text[place] === "A" ? "B" : "A") + text.slice(place + 1);
  };

  test("[http.ask-state] goes on for the token that began", async () => {
    const { result } = await round(laptop, order, answered(await firstState()));
    expect(result?.["inputRequests"]).toMatchObject({
      reply: { params: { message: "And to drink with soup?" } },
    });
  });

  test.each<[string, string, object, (state: string) => unknown]>([
    ["another token", desk, order, (state) => state],
    ["other arguments", laptop, { ...order, arguments: { seconds: 1 } }, (state) => state],
    ["another tool", laptop, { name: "Bash", arguments: order.arguments }, (state) => state],
    ["one letter changed", laptop, order, flipped],
    ["a part of it", laptop, order, (state) => state.slice(0, -4)],
    ["something else", laptop, order, () => "e30"],
    ["a number", laptop, order, () => 7],
  ])("[http.ask-state] %s is -32602", async (_, token, call, changed) => {
    const { error } = await round(token, call, answered(changed(await firstState())));
    expect(error?.code).toBe(-32602);
  });
});
