import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { envelope, metaKeys, structuredOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import type { TempFolder } from "./harness/temp-folder.ts";
import { upstreamHome } from "./harness/upstream-home.ts";
import { onlyLong } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

const capabilities = { elicitation: { form: {} }, sampling: {} };
const said = { role: "assistant", content: { type: "text", text: "hi" }, model: "m" };
const name = { action: "accept", content: { name: "Ann" } };

/** What this client answers; forms that ask for consent have one field of ours. */
function answerTo({ method, params = {} }: Pick<ServerMessage, "method" | "params">): object {
  if (method === "sampling/createMessage") return said;
  const schema = params["requestedSchema"] as { readonly properties: object };
  const [field = ""] = Object.keys(schema.properties);
  return field === "name" ? name : { action: "accept", content: { [field]: "Allow once" } };
}

interface Answered {
  /** The methods by which this client was asked, in their order. */
  readonly asked: readonly string[];
  readonly result: ServerMessage;
}

type Client = (server: Server, tool: string) => Promise<Answered>;

const clients: Readonly<Record<string, Client>> = {
  async legacy(server, tool) {
    const asked: string[] = [];
    server.onMessage((message) => {
      if (message.method === undefined || message.id === undefined) return;
      asked.push(message.method);
      server.send({ jsonrpc: "2.0", id: message.id, result: answerTo(message) });
    });
    await server.initialize("2025-11-25", "e2e", capabilities);
    return { result: await server.call(`mcp__own__${tool}`), asked };
  },
  async modern(server, tool) {
    const asked: string[] = [];
    const _meta = { ...envelope, [metaKeys.capabilities]: capabilities };
    const call = { name: `mcp__own__${tool}`, arguments: {}, _meta };
    let reply = await server.request("tools/call", call);
    while (reply.result?.["resultType"] === "input_required" && asked.length < 10) {
      const { requestState, inputRequests } = reply.result;
      const requests = Object.entries(inputRequests as Record<string, ServerMessage>);
      asked.push(...requests.map(([, { method = "" }]) => method));
      const inputResponses = Object.fromEntries(
        requests.map(([key, request]) => [key, answerTo(request)]),
      );
      reply = await server.request("tools/call", { ...call, requestState, inputResponses });
    }
    return { result: reply, asked };
  },
};

const eras = ["legacy", "modern"] as const;
const pairs = [
  ["legacy", "modern"],
  ["modern", "legacy"],
  ...onlyLong(eras.map((era) => [era, era] as const)),
] as const;

describe.each(pairs)("a %s server and a %s client", (upstream, era) => {
  const ask = async (home: TempFolder, tool: string): Promise<Answered> => {
    await using server = new Server({ home, cwd: home.folder("project") });
    return (await clients[era]?.(server, tool)) as Answered;
  };
  const homeWith = (entry: Readonly<Record<string, unknown>>): TempFolder => {
    const home = upstreamHome({ own: [{ era: upstream, probe: "error" }, entry] });
    home.folder("project/.git");
    return home;
  };

  test.each([
    ["allow", ["sampling/createMessage"], said],
    ["ask", ["elicitation/create", "sampling/createMessage"], said],
  ] as const)("[gateway.gw-29] sampling = %s", async (sampling, asked, only) => {
    using home = homeWith({ sampling });
    const answered = await ask(home, "sample");
    expect([answered.asked, structuredOf(answered.result)]).toEqual([asked, { only }]);
  });

  test("[gateway.gw-29] sampling is refused without a word to the client", async () => {
    using home = homeWith({});
    const { asked, result } = await ask(home, "sample");
    expect(asked).toEqual([]);
    expect(JSON.stringify(result)).toMatch(/not available in this call|which it may not use/);
  });

  test("[gateway.gw-29] the only root is the folder of the project", async () => {
    using home = homeWith({});
    const { asked, result } = await ask(home, "roots");
    const uri = Bun.pathToFileURL(home.at("project")).href;
    expect([asked, structuredOf(result)]).toEqual([
      [],
      { only: { roots: [{ uri, name: "workspace" }] } },
    ]);
  });
});
