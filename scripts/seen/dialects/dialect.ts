/** A tool that a client offers to the model: the names by which a model asks for it. */
export interface OfferedTool {
  readonly name: string;
  /** What the client has put it into, where its protocol knows such a thing. */
  readonly namespace?: string;
  readonly description?: string;
}

/** What a scripted model does in its turn. */
export type Turn =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "call";
      readonly id: string;
      readonly tool: OfferedTool;
      readonly args: Readonly<Record<string, unknown>>;
    };

/** What a request of a client holds, as far as a script needs it. */
export interface Conversation {
  readonly tools: readonly OfferedTool[];
  /** Results of calls by the id of the call, exactly as the client has sent them. */
  readonly results: ReadonlyMap<string, unknown>;
  /** Whether the client wants events; else one JSON body. */
  readonly streams: boolean;
}

/** One protocol in which clients speak to a model. */
export interface Dialect {
  /** Whether a request with this path is one for a turn of the model. */
  accepts(path: string): boolean;
  read(body: Readonly<Record<string, unknown>>, url: URL): Conversation;
  reply(turn: Turn, streams: boolean): Response;
}

/** A tool as most protocols write it. */
export function offeredTool(tool: Json, namespace?: string): OfferedTool {
  return {
    name: String(tool["name"]),
    ...(namespace !== undefined && { namespace }),
    ...(typeof tool["description"] === "string" && { description: tool["description"] }),
  };
}

type Json = Readonly<Record<string, unknown>>;

/** Events of a stream; with `event:` lines where `named`. */
export function eventStream(events: readonly Json[], named: boolean, last = ""): Response {
  const text = events
    .map((event) => {
      const name = named ? `event: ${String(event["type"])}\n` : "";
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    })
    .join("");
  return new Response(text + last, { headers: { "content-type": "text/event-stream" } });
}

/** The elements of a value that should be a list of objects. */
export function objects(value: unknown): readonly Json[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is Json => typeof item === "object" && item !== null);
}

/**
 * Results by the ids of their calls. Where a picture cannot be in a tool's message, clients send it after that as a
 * user's: it is kept with the result.
 * @param resultIn id and content, when the message is a result
 */
export function resultsWithMedia(
  messages: readonly Json[],
  resultIn: (message: Json) => readonly [id: unknown, content: unknown] | undefined,
): ReadonlyMap<string, unknown> {
  const results = new Map<string, unknown>();
  let last: string | undefined;
  for (const message of messages) {
    const result = resultIn(message);
    if (result === undefined && last !== undefined && message["role"] === "user") {
      results.set(last, { tool: results.get(last), user: message["content"] });
    }
    last = result === undefined ? undefined : String(result[0]);
    if (result !== undefined) results.set(String(result[0]), result[1]);
  }
  return results;
}
