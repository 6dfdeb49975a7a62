import { formatDuration } from "../base/amount-text.ts";
import { readRunner, type RunnerCommand } from "../upstream/install/runner-command.ts";
import type { ConfiguredServer } from "../upstream/config/server-entry.ts";
import type { CommandContext } from "./command.ts";
import type { FlagTable } from "./flags.ts";
import { readable } from "./standing-text.ts";
import type { StartUp } from "./start-up.ts";

/** For commands after which a server may be started. */
export const installFlags: FlagTable = {
  "no-install": {
    kind: "switch",
    help: "Fetch its package (npx, uvx, docker, …) at its first start instead of now.",
  },
};

/** The package that its runner would fetch; undefined for a server without one. */
export function runnerOf({ entry: { launch } }: ConfiguredServer): RunnerCommand | undefined {
  return launch.transport === "stdio" ? readRunner(launch.command, launch.args) : undefined;
}

/**
 * Fetches the packages of servers that may be started, so that the first start need not wait for that. A failed fetch is a
 * warning: the stored or approved entry stays.
 * @throws AppError `cancelled`
 */
export async function installServers(
  { args, io, print, services }: CommandContext,
  start: StartUp,
  servers: readonly ConfiguredServer[],
): Promise<void> {
  const wanted = servers.flatMap((server) => {
    const runner = runnerOf(server);
    return runner === undefined ? [] : [{ server, runner }];
  });
  if (services.installUpstreams === undefined || wanted.length === 0) return;
  if (args.has("no-install")) return;
  for (const { server, runner } of wanted) {
    const what = runner.packages.join(" ");
    print.note(`${server.entry.name}: fetching ${what} with ${runner.runner} …`);
  }
  const begin = performance.now();
  const all = wanted.map(({ server }) => server);
  const outcomes = await services.installUpstreams(start, all, io.interrupted);
  for (const [name, outcome] of outcomes) {
    if (outcome.kind === "failed") {
      print.warning(`${name}: ${readable(outcome.reason)}`);
      continue;
    }
    const took = formatDuration(Math.round(performance.now() - begin));
    print.note(`${name}: ${outcome.isNew ? `installed in ${took}` : "it was already installed"}.`);
    if (outcome.startedAs !== undefined) print.note(`  It is started as ${outcome.startedAs}`);
  }
}
