import {
  eventStream,
  objects,
  offeredTool,
  resultsWithMedia,
  type Conversation,
  type Dialect,
} from "./dialect.ts";

/** OpenAI's Chat Completions API. */
export const chatDialect: Dialect = {
  accepts: (path) => path.endsWith("/chat/completions"),

  read(body): Conversation {
    const tools = objects(body["tools"]).map((tool) =>
      offeredTool((tool["function"] ?? {}) as typeof tool),
    );
    return {
      tools,
      results: resultsWithMedia(objects(body["messages"]), (message) =>
        message["role"] === "tool" ? [message["tool_call_id"], message["content"]] : undefined,
      ),
      streams: body["stream"] === true,
    };
  },

  reply(turn, streams): Response {
    const call = turn.kind === "call" && {
      index: 0,
      id: turn.id,
      type: "function",
      function: { name: turn.tool.name, arguments: JSON.stringify(turn.args) },
    };
    const message =
      turn.kind === "text"
        ? { role: "assistant", content: turn.text }
        : { role: "assistant", content: null, tool_calls: [call] };
    const reason = turn.kind === "text" ? "stop" : "tool_calls";
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const head = { id: "chatcmpl-scripted", created: 1, model: "scripted" };
    if (!streams) {
      const choices = [{ index: 0, message, finish_reason: reason }];
      return Response.json({ ...head, object: "chat.completion", choices, usage });
    }
    const chunk = { ...head, object: "chat.completion.chunk" };
    return eventStream(
      [
        { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
        { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: reason }], usage },
      ],
      false,
      "data: [DONE]\n\n",
    );
  },
};
