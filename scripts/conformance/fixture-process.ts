import { join } from "node:path";

import { root } from "../../test/e2e/harness/binary.ts";

/** How long the server may take to say that it listens. */
const startMsMax = 20_000;

export interface FixtureProcess extends AsyncDisposable {
  readonly url: string;
  /** What the server printed on stderr so far: defects of the core show here. */
  complaints(): string;
}

/** @throws when the server does not listen in time */
export async function startFixtureProcess(): Promise<FixtureProcess> {
  const child = Bun.spawn(
    [process.execPath, join(root, "test/conformance/fixture-server.ts"), "0"],
    { stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  );
  let complaints = "";
  void readText(child.stderr, (text) => {
    complaints += text;
  });
  const end = async (): Promise<void> => {
    child.kill("SIGKILL");
    await child.exited;
  };
  try {
    const url = await listeningUrl(child.stdout);
    return { url, complaints: () => complaints, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw new Error(`The fixture server did not start: ${complaints || String(error)}`, {
      cause: error,
    });
  }
}

async function listeningUrl(stdout: ReadableStream<Uint8Array>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const late = setTimeout(() => reject(new Error(`silent for ${startMsMax} ms`)), startMsMax);
  let printed = "";
  const reading = readText(stdout, (text) => {
    printed += text;
    const url = /Listening on (\S+)\n/.exec(printed)?.[1];
    if (url !== undefined) resolve(url);
  });
  void reading.then(() => reject(new Error(`it ended after printing ${JSON.stringify(printed)}`)));
  try {
    return await promise;
  } finally {
    clearTimeout(late);
  }
}

async function readText(
  stream: ReadableStream<Uint8Array>,
  take: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }));
}
