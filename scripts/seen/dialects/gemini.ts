import { eventStream, objects, offeredTool, type Conversation, type Dialect } from "./dialect.ts";

/** Google's Generative Language API. */
export const geminiDialect: Dialect = {
  accepts: (path) => /:(streamG|g)enerateContent$/.test(path),

  read(body, url): Conversation {
    const tools = objects(body["tools"])
      .flatMap((group) => objects(group["functionDeclarations"]))
      .map((tool) => offeredTool(tool));
    return {
      tools,
      results: resultsOf(objects(body["contents"])),
      streams: url.pathname.endsWith(":streamGenerateContent"),
    };
  },

  reply(turn, streams): Response {
    const part =
      turn.kind === "text"
        ? { text: turn.text }
        : { functionCall: { id: turn.id, name: turn.tool.name, args: turn.args } };
    const body = {
      candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: "scripted",
    };
    return streams ? eventStream([body], false) : Response.json(body);
  },
};

/** Ids do not always come back, so results are counted: the third answer is that to the third call. */
function resultsOf(
  contents: readonly Readonly<Record<string, unknown>>[],
): ReadonlyMap<string, unknown> {
  const results = new Map<string, unknown>();
  for (const content of contents) {
    const parts = objects(content["parts"]);
    const answer = parts.find((part) => part["functionResponse"] !== undefined);
    if (answer === undefined) continue;
    results.set(`call_${results.size}`, parts.length === 1 ? answer["functionResponse"] : parts);
  }
  return results;
}
