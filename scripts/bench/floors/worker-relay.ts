/**
 * The least that a gateway with its connections in a Worker can do: bytes to the Worker and from there to the server
 * (its command line is this program's), and back. No message is looked at.
 */
import { writeSync } from "node:fs";

const decoder = new TextDecoder();

async function passOn(
  stream: ReadableStream<Uint8Array>,
  post: (text: string) => void,
): Promise<void> {
  for await (const chunk of stream) post(decoder.decode(chunk, { stream: true }));
}

if (Bun.isMainThread) {
  const worker = new Worker(import.meta.url);
  worker.onmessage = ({ data }: MessageEvent<string>) => void writeSync(1, data);
  worker.postMessage(process.argv.slice(2));
  await passOn(Bun.stdin.stream(), (text) => worker.postMessage(text));
  process.exit();
}

let write: ((text: string) => void) | undefined;

/** The first message is the command line of the server. */
addEventListener("message", ({ data }: MessageEvent<string | string[]>) => {
  if (typeof data === "string") {
    write?.(data);
    return;
  }
  const { stdin, stdout } = Bun.spawn(data, { stdin: "pipe", stdout: "pipe" });
  write = (text) => {
    void stdin.write(text);
    void stdin.flush();
  };
  void passOn(stdout, postMessage);
});
