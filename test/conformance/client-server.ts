/**
 * The client that the conformance suite drives, as a server: the suite starts a process for each scenario, which asks this one
 * to play the client (client-call.ts), since a start of our own would take longer than most scenarios.
 *
 *     bun test/conformance/client-server.ts      prints its URL; ends with SIGKILL
 */
import { inspect } from "node:util";

import { driveClient, type Scenario } from "./client-driver.ts";

/** What the process that the suite started is to print, and whether it is to fail. */
export interface Played {
  readonly lines: readonly string[];
  readonly hasFailed: boolean;
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    // SAFETY: only our own client-call.ts asks.
    const scenario = (await request.json()) as Scenario;
    return Response.json(await play(scenario, request.signal));
  },
});
console.log(`Listening on ${server.url.href}`);

async function play(scenario: Scenario, signal: AbortSignal): Promise<Played> {
  const lines: string[] = [];
  try {
    await driveClient(scenario, (line) => lines.push(line), signal);
    return { lines, hasFailed: false };
  } catch (error) {
    return { lines: [...lines, inspect(error)], hasFailed: true };
  }
}
