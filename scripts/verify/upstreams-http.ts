import { within } from "../../test/e2e/harness/conditions.ts";
import { answering, freePort } from "../../test/e2e/harness/free-port.ts";
import type { Entry } from "./upstreams-servers.ts";

interface HttpLaunch {
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly url: string;
  readonly entry: Entry;
}

/** A server that is told its port, on one that was free a moment ago. */
export async function startNodeServer(
  command: readonly string[],
  launchOf: (port: number) => HttpLaunch,
): Promise<{ readonly entry: Entry } & AsyncDisposable> {
  const { args = [], env, url, entry } = launchOf(freePort());
  const child = Bun.spawn([...command, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "ignore"],
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await child.exited;
  };
  const ended = child.exited.then((code): never => {
    throw new Error(`${command.join(" ")} ended with ${code}`);
  });
  ended.catch(() => {});
  try {
    await within(`${command.join(" ")} listens`, 20_000, Promise.race([answering(url), ended]));
  } catch (error) {
    await stop();
    throw error;
  }
  return { entry: { ...entry, url }, [Symbol.asyncDispose]: stop };
}
