import { join } from "node:path";

import { root } from "../../test/e2e/harness/binary.ts";
import { startRedis } from "../../test/support/engines/redis.ts";
import { RoundRobin } from "../../test/support/round-robin.ts";

/** How long the server may take to say that it listens. */
const startMsMax = 20_000;

export interface FixtureProcess extends AsyncDisposable {
  readonly url: string;
  /** What the server printed on stderr so far: defects of the core show here. */
  complaints(): string;
}

/** Our core with tools for testing. @throws when it does not listen in time */
export function startFixtureProcess(
  env: Readonly<Record<string, string>> = {},
): Promise<FixtureProcess> {
  return startListening(["test/conformance/fixture-server.ts", "0"], env);
}

/** Our connections to other servers, as the client that the suite drives. @throws as `startFixtureProcess` */
export function startClientProcess(): Promise<FixtureProcess> {
  return startListening(["test/conformance/client-server.ts"], {});
}

async function startListening(
  [file = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<FixtureProcess> {
  const child = Bun.spawn([process.execPath, join(root, file), ...args], {
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
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
    throw new Error(`${file} did not start: ${complaints || String(error)}`, {
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

/** Three replicas behind a proxy without affinity, with an engine of their own. */
export async function startFixtureFleet(): Promise<FixtureProcess> {
  const redis = await startRedis();
  const env = { SHARED_URL: redis.url };
  const replicas = await Promise.all([1, 2, 3].map(() => startFixtureProcess(env)));
  const proxy = new RoundRobin(replicas.map(({ url }) => ({ origin: new URL(url).origin })));
  return {
    url: `${proxy.origin}/mcp`,
    complaints: () => replicas.map((replica) => replica.complaints()).join(""),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      for (const replica of replicas) await replica[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    },
  };
}
