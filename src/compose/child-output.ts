import { setTimeout as sleep } from "node:timers/promises";

/** The last output of a process may still be on its way when the process has ended. */
const restMs = 500;

/**
 * The first characters of a child's output, until the child has ended: a process that outlives it may hold the stream open
 * without end. The rest is read and forgotten, so that the child never waits for a reader.
 */
export async function outputOf(
  { exited }: { readonly exited: Promise<unknown> },
  stream: ReadableStream<Uint8Array>,
  charsMax: number,
): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const over = endOf(exited);
  let text = "";
  for (;;) {
    const part = await Promise.race([reader.read(), over]);
    if (part === undefined || part.done) break;
    if (text.length < charsMax) text += decoder.decode(part.value, { stream: true });
  }
  void reader.cancel().catch(() => undefined);
  return text.slice(0, charsMax);
}

/** Settles when nothing more is to be expected of the process. */
export async function endOf(exited: Promise<unknown>): Promise<undefined> {
  await exited;
  await sleep(restMs);
}
