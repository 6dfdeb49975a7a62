/** The few JSON-RPC shapes that the bench client sends and reads. */

const excerptCharsMax = 160;

export interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface Request {
  readonly id: number;
  /** The encoded message, newline included. */
  readonly line: string;
}

export interface Reply {
  readonly id: number;
  /** A JSON-RPC error, or a result with `isError`. */
  readonly failed: boolean;
  readonly body: Readonly<Record<string, unknown>>;
  readonly lineBytes: number;
}

/** A request or notification that the server sent to its client. */
export interface ServerMessage {
  readonly method: string;
  readonly id: string | number | undefined;
}

export function encodeMessage(message: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
}

/** Undefined when the line is not a JSON-RPC message: servers are known to print other things. */
export function parseMessage(line: Buffer): Reply | ServerMessage | undefined {
  const body = parseObject(line);
  if (body === undefined) return undefined;
  const { id, method } = body;
  if (typeof method === "string") {
    const isId = typeof id === "string" || typeof id === "number";
    return { method, id: isId ? id : undefined };
  }
  if (typeof id !== "number") return undefined;
  const failed =
    body.error !== undefined || (isObject(body.result) && body.result.isError === true);
  return { id, failed, body, lineBytes: line.length };
}

/** The bench answers what a server may ask of any client; without an answer some servers never get ready. */
export function answerTo(message: ServerMessage): string | undefined {
  if (message.id === undefined) return undefined;
  switch (message.method) {
    case "ping":
      return encodeMessage({ id: message.id, result: {} });
    case "roots/list":
      return encodeMessage({ id: message.id, result: { roots: [] } });
    default:
      return encodeMessage({ id: message.id, error: { code: -32601, message: "not supported" } });
  }
}

/** The text of a tool result's first content block, or the empty text. */
export function textOf(reply: Reply): string {
  const { result } = reply.body;
  if (!isObject(result) || !Array.isArray(result.content)) return "";
  const first: unknown = result.content[0];
  return isObject(first) && typeof first.text === "string" ? first.text : "";
}

/** The start of a reply, for an error message. */
export function excerptOf(reply: Reply): string {
  const text = JSON.stringify(reply.body);
  return text.length <= excerptCharsMax ? text : `${text.slice(0, excerptCharsMax)}…`;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function parseObject(line: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line.toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
