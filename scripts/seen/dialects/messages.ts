import {
  eventStream,
  objects,
  offeredTool,
  type Conversation,
  type Dialect,
  type Turn,
} from "./dialect.ts";

/** Anthropic's Messages API. */
export const messagesDialect: Dialect = {
  accepts: (path) => path.endsWith("/v1/messages"),

  read(body): Conversation {
    const blocks = objects(body["messages"]).flatMap(({ content }) => objects(content));
    const results = blocks
      .filter(({ type }) => type === "tool_result")
      .map((block) => [String(block["tool_use_id"]), block] as const);
    return {
      tools: objects(body["tools"]).map((tool) => offeredTool(tool)),
      results: new Map(results),
      streams: body["stream"] === true,
    };
  },

  reply(turn, streams): Response {
    const block =
      turn.kind === "text"
        ? { type: "text", text: turn.text }
        : { type: "tool_use", id: turn.id, name: turn.tool.name, input: turn.args };
    const message = {
      id: "msg_scripted",
      type: "message",
      role: "assistant",
      model: "scripted",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    const reason = turn.kind === "text" ? "end_turn" : "tool_use";
    if (!streams) return Response.json({ ...message, content: [block], stop_reason: reason });
    return eventStream(
      [
        { type: "message_start", message: { ...message, content: [], stop_reason: null } },
        { type: "content_block_start", index: 0, content_block: emptied(block) },
        { type: "content_block_delta", index: 0, delta: deltaOf(turn) },
        { type: "content_block_stop", index: 0 },
        {
          type: "message_delta",
          delta: { stop_reason: reason, stop_sequence: null },
          usage: { output_tokens: 1 },
        },
        { type: "message_stop" },
      ],
      true,
    );
  },
};

function emptied(block: { readonly type: string }): object {
  return block.type === "text" ? { ...block, text: "" } : { ...block, input: {} };
}

function deltaOf(turn: Turn): object {
  if (turn.kind === "text") return { type: "text_delta", text: turn.text };
  return { type: "input_json_delta", partial_json: JSON.stringify(turn.args) };
}
