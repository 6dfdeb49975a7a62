/**
 * The least that a gateway with its connections in a Worker can do: bytes to the Worker and from there to the server
 * (its command line is this program's), and back. No message is looked at.
 */
import { writeSync } from "node:fs";

const decoder = new TextDecoder();

if (Bun.isMainThread) {
  const worker = new Worker(import.meta.url);
  worker.onmessage = ({ data }) => writeSync(1, data);
  worker.postMessage(process.argv.slice(2));
  await passOn(Bun.stdin.stream(), worker);
  process.exit();
}

/** The first message is the command line of the server. */
self.onmessage = ({ data: command }) => {
  const { stdin, stdout } = Bun.spawn(command, { stdin: "pipe", stdout: "pipe" });
  self.onmessage = ({ data }) => {
    stdin.write(data);
    stdin.flush();
  };
  void passOn(stdout, self);
};

async function passOn(stream, port) {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    port.postMessage(decoder.decode(value, { stream: true }));
  }
}
