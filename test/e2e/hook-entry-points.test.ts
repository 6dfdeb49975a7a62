import { describe, expect, setDefaultTimeout } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { HttpServer } from "./harness/http-server.ts";
import { modern } from "./harness/messages.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { runProduct } from "./harness/run-product.ts";
import { Server } from "./harness/server.ts";
import type { TempFolder } from "./harness/temp-folder.ts";
import { upstreamHome } from "./harness/upstream-home.ts";
import { isLongRun } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

type Args = Readonly<Record<string, unknown>>;

/** Makes one call, and gives all that was answered as text. */
type Call = (name: string, args: Args) => Promise<string>;

const wrapped =
  (call: Call): Call =>
  (name, args) =>
    call("tool_call", { name, arguments: args });

const commandLine =
  (home: TempFolder): Call =>
  async (name, args) => {
    const { stdout } = await runProduct(home, ["call", name, JSON.stringify(args)]);
    return stdout;
  };

/** Each way by which a call comes in. */
const entryPoints: Readonly<
  Record<string, (home: TempFolder, use: (call: Call) => Promise<void>) => Promise<void>>
> = {
  "stdio, legacy": async (home, use) => {
    await using server = new Server({ home });
    await server.initialize();
    const call: Call = async (name, args) => JSON.stringify(await server.call(name, args));
    await use(call);
    await use(wrapped(call));
  },
  "stdio, modern": async (home, use) => {
    await using server = new Server({ home });
    const call: Call = async (name, args) =>
      JSON.stringify(await server.request("tools/call", modern({ name, arguments: args })));
    await use(call);
    await use(wrapped(call));
  },
  "HTTP, legacy": async (home, use) => {
    await using server = await HttpServer.start({ home });
    const session = await server.initialize();
    const call: Call = async (name, args) => JSON.stringify(await session.call(name, args));
    await use(call);
    await use(wrapped(call));
  },
  "HTTP, modern": async (home, use) => {
    await using server = await HttpServer.start({ home });
    const call: Call = async (name, args) =>
      JSON.stringify(await server.client.modern("tools/call", { name, arguments: args }));
    await use(call);
    await use(wrapped(call));
  },
  "scorpiox-code call": async (home, use) => {
    await use(commandLine(home));
    if (isLongRun) await use(wrapped(commandLine(home)));
  },
  "scorpiox-code mcp call": (home, use) =>
    use(async (name, args) => {
      const ours = commandLine(home);
      if (name === "Bash") return ours(name, args);
      const words = ["mcp", "call", "own", name.slice("mcp__own__".length)];
      return (await runProduct(home, [...words, "--args", JSON.stringify(args)])).stdout;
    }),
};

/** A tool of each kind, and its event. */
const kinds = [
  ["tool_use", "Bash", (text: string): Args => ({ command: `echo ${text}` })],
  ["mcp_call", "mcp__own__echo", (text: string): Args => ({ text })],
] as const;

describe.each(Object.keys(entryPoints))("a call over %s", (name) => {
  posixTest(
    "[gateway.gw-25] fires the hooks of its kind of tool, once before and once after, and is stopped by one",
    async () => {
      using home = upstreamHome({ own: [{ tools: ["echo"] }] });
      const log = home.at("fired");
      for (const [event] of kinds) {
        home.write(
          `.scorpiox/hooks/${event}/sync-count.sh`,
          `#!/bin/sh\necho "${event} $SX_PHASE" >> '${log}'\n` +
            `case "$4" in *forbidden*) echo 'for a reason'; exit 3;; esac\n`,
          0o755,
        );
      }
      const fired = (): readonly string[] => {
        if (!existsSync(log)) return [];
        const lines = readFileSync(log, "utf8").split("\n").filter(Boolean);
        rmSync(log);
        return lines;
      };
      await entryPoints[name]?.(home, async (call) => {
        for (const [event, tool, argsOf] of kinds) {
          expect(await call(tool, argsOf("allowed"))).toContain("allowed");
          expect(fired()).toEqual([`${event} pre`, `${event} post`]);
          const stopped = await call(tool, argsOf("forbidden"));
          expect(stopped).toContain(`${tool} was not called`);
          expect(stopped).toContain("for a reason");
          expect(fired()).toEqual([`${event} pre`]);
        }
      });
    },
  );
});
