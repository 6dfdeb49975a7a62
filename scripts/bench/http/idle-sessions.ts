import { LegacySession } from "./caller.ts";
import { HttpClient } from "./http-client.ts";

/** How many connections begin sessions at a time. */
const connectionsMax = 16;

/** Begins `count` legacy sessions, which go on without their connections. */
export async function beginSessions(url: URL, count: number): Promise<void> {
  let left = count;
  const beginSome = async (): Promise<void> => {
    using client = await HttpClient.connect(url);
    while (left > 0) {
      left -= 1;
      await LegacySession.begin(client, url);
    }
  };
  await Promise.all(Array.from({ length: connectionsMax }, beginSome));
}

/** Begins `count` legacy sessions, each on a connection of its own, which `stack` closes. */
export async function beginConnectedSessions(
  url: URL,
  count: number,
  stack: DisposableStack,
): Promise<void> {
  for (let index = 0; index < count; index++) {
    const client = stack.use(await HttpClient.connect(url));
    await LegacySession.begin(client, url);
  }
}

/** Begins and ends `count` legacy sessions. */
export async function passSessions(url: URL, count: number): Promise<void> {
  using client = await HttpClient.connect(url);
  for (let index = 0; index < count; index++) {
    const session = await LegacySession.begin(client, url);
    await session.end(client);
  }
}
