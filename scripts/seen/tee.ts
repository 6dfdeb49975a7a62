/**
 * Stands between a client and an MCP server on a pipe, and writes every message of both ways to a file, and its environment to
 * another: `tee.ts LOG PROGRAM …`.
 */
import { appendFileSync, writeFileSync } from "node:fs";

const [log = "", ...command] = process.argv.slice(2);
writeFileSync(`${log}.environment`, JSON.stringify(process.env));
const child = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });

void copy(Bun.stdin.stream(), "client", (bytes) => {
  void child.stdin.write(bytes);
  return child.stdin.flush();
}).then(() => child.stdin.end());
await copy(child.stdout, "server", (bytes) => process.stdout.write(bytes));
process.exit(await child.exited);

async function copy(
  from: ReadableStream<Uint8Array>,
  by: string,
  write: (bytes: Uint8Array) => unknown,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of from) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines)
      if (line !== "") appendFileSync(log, `{"by":"${by}","message":${line}}\n`);
    await write(bytes);
  }
}
