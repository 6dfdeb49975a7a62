/** What the least Bun programs share: they read messages, and answer canned JSON. */

export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
}

const initialized = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "least", version: "1" },
};

const results: Readonly<Record<string, string>> = {
  initialize: JSON.stringify(initialized),
  "tools/list": '{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}',
};

/** The result of the one tool. */
export const echoed = '{"content":[{"type":"text","text":"Echo: hi"}]}';

const out = Bun.stdout.writer();

export function reply(id: number | undefined, result: string): void {
  void out.write(`{"jsonrpc":"2.0","id":${id},"result":${result}}\n`);
}

export function flush(): void {
  void out.flush();
}

/**
 * Answers all but calls of tools, which `call` answers, until stdin ends.
 * @param others results in place of the usual ones, by method
 */
export async function serve(
  call: (message: Message) => void,
  others: Readonly<Record<string, string>> = {},
): Promise<never> {
  const all = { ...results, ...others };
  for await (const chunk of Bun.stdin.stream()) {
    for (const message of Bun.JSONL.parseChunk(chunk).values as Message[]) {
      if (message.id === undefined) continue;
      if (message.method === "tools/call") call(message);
      else reply(message.id, all[message.method ?? ""] ?? "{}");
    }
    flush();
  }
  process.exit();
}
