/**
 * The fixture server as a program, for the conformance suite and for clients that start servers:
 *
 *     bun test/conformance/fixture-server.ts PORT       prints its URL; ends with SIGTERM; with SHARED_URL it is a replica
 *     bun test/conformance/fixture-server.ts --stdio
 */
import { shutdownDrainMs } from "../../src/base/limits.ts";
import { serveConnection } from "../../src/server/serve-connection.ts";
import { StdioTransport } from "../../src/server/transport/stdio.ts";
import { createFixtureContext, fixtureLimits } from "./fixture-features.ts";

const usage = "Usage: bun test/conformance/fixture-server.ts PORT | --stdio";
const [choice] = process.argv.slice(2);

if (choice === "--stdio") await serveStdio();
else if (choice !== undefined && /^\d+$/.test(choice)) await serveHttp(Number(choice));
else {
  console.error(usage);
  process.exitCode = 2;
}

async function serveStdio(): Promise<void> {
  const connection = serveConnection({
    transport: new StdioTransport(),
    server: createFixtureContext(),
    client: { id: "stdio", limitsFor: () => fixtureLimits, fallbackDir: process.cwd() },
    drainMs: shutdownDrainMs,
  });
  process.on("SIGTERM", () => connection.shutdown());
  await connection.ended;
}

async function serveHttp(port: number): Promise<void> {
  const { startHttpFixture } = await import("./fixture-http.ts");
  await using fixture = await startHttpFixture(port, process.env["SHARED_URL"]);
  console.log(`Listening on ${fixture.url}`);
  await new Promise((resolve) => process.once("SIGTERM", resolve));
}
