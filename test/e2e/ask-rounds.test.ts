import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { faultyBinary } from "./harness/binary.ts";
import { envelope, isError, metaKeys, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

const everything = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

function accept(content: Readonly<Record<string, unknown>>): object {
  return { action: "accept", content };
}

interface Round {
  readonly inputRequests: Readonly<Record<string, { readonly method: string }>>;
  readonly requestState: string;
}

/** A modern client: no session, and each request says what it can be asked. */
class ModernClient {
  readonly server: Server;

  constructor(server: Server) {
    this.server = server;
  }

  call(
    name: string,
    args: object,
    more: object = {},
    capabilities = everything,
  ): Promise<ServerMessage> {
    const _meta = { ...envelope, [metaKeys.capabilities]: capabilities };
    return this.server.request("tools/call", { name, arguments: args, ...more, _meta });
  }

  async round(name: string, args: object, more: object = {}): Promise<Round> {
    const { result } = await this.call(name, args, more);
    expect(result?.["resultType"]).toBe("input_required");
    return result as unknown as Round;
  }
}

describe("without a session", () => {
  test("[ask.rounds] a call goes on with the answers of all rounds", async () => {
    await using server = new Server({ binary: faultyBinary });
    const client = new ModernClient(server);
    const args = { seconds: 0 };
    const one = await client.round("AskingOrder", args);
    const { requestState } = one;
    expect(one.inputRequests).toMatchObject({ reply: { params: { message: "Which dish?" } } });
    const soup = { inputResponses: { reply: accept({ dish: "soup" }) }, requestState };
    const two = await client.round("AskingOrder", args, soup);
    expect(two.inputRequests).toMatchObject({
      reply: { params: { message: "And to drink with soup?" } },
    });
    const tea = {
      inputResponses: { reply: accept({ drink: "tea" }) },
      requestState: two.requestState,
    };
    expect(textOf(await client.call("AskingOrder", args, tea))).toBe("started\nsoup and tea\n");
    expect(server.messages.filter(({ method }) => method !== undefined)).toEqual([]);
  });

  test("[ask.missing] one of two", async () => {
    await using server = new Server({ binary: faultyBinary });
    const client = new ModernClient(server);
    const args = { kinds: ["form", "roots"] };
    const { requestState } = await client.round("AskingAnything", args);
    const roots = { roots: [] };
    const again = await client.round("AskingAnything", args, {
      inputResponses: { form: accept({ text: 5 }), roots, more: 1 },
      requestState,
    });
    expect(Object.keys(again.inputRequests)).toEqual(["form"]);
    const reply = await client.call("AskingAnything", args, {
      inputResponses: { form: { action: "cancel" } },
      requestState: again.requestState,
    });
    expect(JSON.parse(textOf(reply))).toEqual({ form: { action: "cancel" }, roots });
  });

  test("[ask.declared] -32021 names what is missing, and a tool may find another way", async () => {
    await using server = new Server({ binary: faultyBinary });
    const client = new ModernClient(server);
    const none = {} as typeof everything;
    expect(textOf(await client.call("AskingGreet", {}, {}, none))).toBe("Hello, whoever you are");
    const { error } = await client.call(
      "AskingAnything",
      { kinds: ["sampling", "roots"] },
      {},
      none,
    );
    const requiredCapabilities = { sampling: {}, roots: {} };
    expect([error?.code, error?.data]).toEqual([-32021, { requiredCapabilities }]);
  });

  test("[ask.state] changed, or with other arguments, or for another tool", async () => {
    await using server = new Server({ binary: faultyBinary });
    const client = new ModernClient(server);
    const { requestState } = await client.round("AskingOrder", { seconds: 0 });
    const inputResponses = { reply: accept({ dish: "soup" }) };
    const changed = `${requestState[0] === "A" ? "B" : "A"}${requestState.slice(1)}`;
    const replies = await Promise.all([
      client.call("AskingOrder", { seconds: 0 }, { inputResponses, requestState: changed }),
      client.call("AskingOrder", { seconds: 1 }, { inputResponses, requestState }),
      client.call("AskingLate", { seconds: 0 }, { inputResponses, requestState }),
      client.call("AskingOrder", { seconds: 0 }, { inputResponses, requestState: 5 }),
    ]);
    expect(replies.map(({ error }) => error?.code)).toEqual([-32602, -32602, -32602, -32602]);
  });

  test("[ask.first] and is told why", async () => {
    await using server = new Server({ binary: faultyBinary });
    const reply = await new ModernClient(server).call("AskingLate", {});
    expect([isError(reply), textOf(reply)]).toEqual([
      true,
      "AskingLate asked the client after it had done something else, which cannot be taken up again " +
        "when the client has answered. A tool must ask before anything else.",
    ]);
  });

  test("[ask.restart] the process that asked is gone", async () => {
    using home = new TempFolder();
    const greet = async (more?: object): Promise<ServerMessage> => {
      await using server = new Server({ binary: faultyBinary, home });
      // Awaited: the server ends with this scope.
      return await new ModernClient(server).call("AskingGreet", {}, more);
    };
    const requestState = (await greet()).result?.["requestState"];
    const inputResponses = { reply: accept({ name: "Ada" }) };
    expect(textOf(await greet({ inputResponses, requestState }))).toBe("Hello, Ada");
  });

  test("[ask.rounds] clients that never come back leave nothing behind", async () => {
    await using server = new Server({ binary: faultyBinary });
    const client = new ModernClient(server);
    await Promise.all(Array.from({ length: 200 }, () => client.round("AskingGreet", {})));
    expect(textOf(await client.call("Bash", { command: "echo free" }))).toBe("free\n");
  });
});
