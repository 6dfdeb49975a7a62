import {
  eventStream,
  objects,
  offeredTool,
  resultsWithMedia,
  type Conversation,
  type Dialect,
  type OfferedTool,
} from "./dialect.ts";

/** OpenAI's Responses API. */
export const responsesDialect: Dialect = {
  accepts: (path) => path.endsWith("/responses"),

  read(body): Conversation {
    return {
      tools: objects(body["tools"]).flatMap(offered),
      results: resultsWithMedia(objects(body["input"]), (item) =>
        item["type"] === "function_call_output" ? [item["call_id"], item["output"]] : undefined,
      ),
      streams: body["stream"] === true,
    };
  },

  reply(turn, streams): Response {
    const item =
      turn.kind === "text"
        ? {
            type: "message",
            id: "item_scripted",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: turn.text, annotations: [] }],
          }
        : {
            type: "function_call",
            id: `item_${turn.id}`,
            call_id: turn.id,
            status: "completed",
            name: turn.tool.name,
            ...(turn.tool.namespace !== undefined && { namespace: turn.tool.namespace }),
            arguments: JSON.stringify(turn.args),
          };
    const response = {
      id: "resp_scripted",
      object: "response",
      created_at: 1,
      model: "scripted",
      status: "completed",
      output: [item],
      usage: {
        input_tokens: 1,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 1,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 2,
      },
    };
    if (!streams) return Response.json(response);
    const begun = { ...response, status: "in_progress", output: [] };
    return eventStream(
      [
        { type: "response.created", response: begun },
        { type: "response.output_item.added", output_index: 0, item },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response },
      ],
      true,
    );
  },
};

/** A namespace holds functions, which are called with its name beside theirs. */
function offered(tool: Readonly<Record<string, unknown>>): readonly OfferedTool[] {
  if (tool["type"] !== "namespace") return [offeredTool(tool)];
  return objects(tool["tools"]).map((inner) => offeredTool(inner, String(tool["name"])));
}
