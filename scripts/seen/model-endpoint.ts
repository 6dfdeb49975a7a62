import { chatDialect } from "./dialects/chat.ts";
import type { Dialect, OfferedTool, Turn } from "./dialects/dialect.ts";
import { geminiDialect } from "./dialects/gemini.ts";
import { messagesDialect } from "./dialects/messages.ts";
import { responsesDialect } from "./dialects/responses.ts";

/** One call that the scripted model makes. */
export interface ScriptedCall {
  /** The tool's own name; clients put their prefix before it. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A model on loopback that calls one tool after the other, and keeps what the client says the results are. */
export interface ModelEndpoint extends AsyncDisposable {
  readonly origin: string;
  /** What the client has sent as the result of each call, in the order of the script; undefined: nothing. */
  results(): readonly unknown[];
  /** Tools of the script that the client did not offer when their turn came. */
  readonly missing: readonly string[];
  /** The tools of the last turn that had any, as the client has sent them. */
  readonly offered: readonly OfferedTool[];
  /** Every request that came, for a look at what a client does: method and path. */
  readonly requests: readonly string[];
  /** Whether the last call has been answered. */
  readonly isDone: boolean;
}

const dialects: readonly Dialect[] = [
  messagesDialect,
  responsesDialect,
  chatDialect,
  geminiDialect,
];

/** Starts the model. It keeps no state but its records: which turn it is follows from the results in the request. */
export function startModel(script: readonly ScriptedCall[]): ModelEndpoint {
  const results = new Map<string, unknown>();
  const missing: string[] = [];
  const requests: string[] = [];
  let isDone = false;
  let offered: readonly OfferedTool[] = [];

  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 120, fetch: answer });

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    requests.push(`${request.method} ${url.pathname}`);
    const dialect = dialects.find((each) => each.accepts(url.pathname));
    if (request.method !== "POST" || dialect === undefined) return besides(url);
    const body = (await request.json()) as Readonly<Record<string, unknown>>;
    const conversation = dialect.read(body, url);
    for (const [id, result] of conversation.results) results.set(id, result);
    if (conversation.tools.length > 0) offered = conversation.tools;
    const turn = nextTurn(conversation.tools, conversation.results.size);
    return dialect.reply(turn, conversation.streams);
  }

  /** Titles, summaries and the like are asked for without tools, and get a word. */
  function nextTurn(tools: readonly OfferedTool[], place: number): Turn {
    if (tools.length === 0) return { kind: "text", text: "ok" };
    for (let index = place; index < script.length; index++) {
      const call = script[index];
      if (call === undefined) break;
      const tool = named(tools, call.tool);
      if (tool === undefined) {
        missing.push(call.tool);
        break;
      }
      return { kind: "call", id: `call_${index}`, tool, args: call.args };
    }
    isDone = true;
    return { kind: "text", text: "Done." };
  }

  return {
    origin: `http://127.0.0.1:${server.port}`,
    missing,
    requests,
    get offered() {
      return offered;
    },
    get isDone() {
      return isDone;
    },
    results: () => script.map((_, index) => results.get(`call_${index}`)),
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}

/**
 * `mcp__probe__text`, `probe_text`, `probe-text` and `text` in a namespace are all the MCP server's tool `text`;
 * `probe_long_text` is another. `text` alone may be the client's own, and counts where there is none of the others.
 */
function named(tools: readonly OfferedTool[], own: string): OfferedTool | undefined {
  const ending = `_${plain(own)}`;
  const [shortest] = tools
    .filter(({ name, namespace }) =>
      `${namespace === undefined ? "" : "_"}${plain(name)}`.endsWith(ending),
    )
    .toSorted((one, other) => one.name.length - other.name.length);
  return shortest ?? tools.find(({ name }) => plain(name) === plain(own));
}

/** Some clients put `_` for every `-` of a name. */
function plain(name: string): string {
  return name.replaceAll("-", "_");
}

/** What clients ask a provider besides: which models there are, how many tokens that makes. */
function besides(url: URL): Response {
  if (url.pathname.endsWith("/count_tokens")) return Response.json({ input_tokens: 1 });
  if (url.pathname.endsWith(":countTokens")) return Response.json({ totalTokens: 1 });
  if (url.pathname.endsWith("/models")) {
    return Response.json({ object: "list", data: [{ id: "scripted", object: "model" }] });
  }
  return Response.json({ error: { message: "not here" } }, { status: 404 });
}
