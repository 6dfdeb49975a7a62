import { expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync } from "node:fs";

import { atThisLoad } from "../fixtures/at-this-load.ts";
import { upstreamLaunch } from "../fixtures/upstream/launch.ts";
import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { isError, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { processesWith } from "./harness/processes.ts";
import { Server } from "./harness/server.ts";
import { upstreamHome } from "./harness/upstream-home.ts";

setDefaultTimeout(testMsMax);

/** From the end of the old hub's server to the start of the new hub's. */
const takeOverMsMax = 2_000;

const marker = `exclusive-${crypto.randomUUID()}`;
const script = { tools: ["pid", "echo"], name: marker };
/** A server that the table marks as exclusive: the last word of its command line names it. */
const exclusive = { args: [...upstreamLaunch(script).args, "mcp-server-sqlite"] };

test("[hub.update] a server that only one hub may run starts in the new one when the old one has none", async () => {
  using home = upstreamHome({ one: [script, exclusive], two: [{ ...script, name: "two" }] });
  // The same program in another file is another build.
  const updated = home.at("scorpiox-code");
  ensureBuilt(productBinary);
  copyFileSync(productBinary, updated);
  const start = async (binary: string): Promise<Server> => {
    const env = { SCORPIOX_HUB: undefined, SCORPIOX_HUB_IDLE: "0" };
    const server = new Server({ home, env, binary });
    await server.initialize();
    return server;
  };
  const answerOf = (server: Server, tool: string): Promise<string> =>
    eventually(tool, async () => {
      const reply = await server.call(tool);
      return reply.error === undefined && !isError(reply) && textOf(reply);
    });
  const runs = (): number => processesWith(marker).length;

  const old = await start(productBinary);
  const pid = await answerOf(old, "mcp__one__pid");
  const listed = await old.request("tools/list");
  const young = await start(updated);
  // Every other server is there for both.
  await answerOf(young, "mcp__two__pid");
  const refused = await young.call("mcp__one__pid");
  expect(textOf(refused)).toMatch(
    /the hub of version \S+ \(process \d+\) still runs it for 1 client, and it writes one database file\. It starts here once that hub has ended it/,
  );
  expect((await young.request("tools/list")).result).toEqual(listed.result);
  expect([await answerOf(old, "mcp__one__pid"), runs()]).toEqual([pid, 1]);

  await old[Symbol.asyncDispose]();
  await eventually("the end of the old server", () => runs() === 0);
  const endedAt = performance.now();
  await eventually("the start of the new server", () => runs() === 1);
  expect(performance.now() - endedAt).toBeLessThan(atThisLoad(takeOverMsMax));
  expect(await answerOf(young, "mcp__one__pid")).not.toBe(pid);
  await young[Symbol.asyncDispose]();
  await eventually("the end of all processes", () => processesWith(home.path).length === 0);
});
