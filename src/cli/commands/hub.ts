import { formatAmount } from "../../base/cut-text.ts";
import { AppError } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { findHubs, type FoundHub, isHubAlive } from "../../hub/link/find-hubs.ts";
import type { HubStatus } from "../../hub/watch/hub-status.ts";
import { type HubWatch, openHubWatch } from "../../hub/watch/hub-watch.ts";
import { exitCodes } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { directoryFlags, jsonFlag } from "../flags.ts";
import { printHub } from "../hub-lines.ts";
import { readHubReport, whyNoHub } from "../hub-report.ts";
import { withProgress } from "../progress.ts";
import { readStartUp } from "../start-up.ts";

export const hubStatusCommand: Command = {
  usage: "[--json]",
  description:
    "Shows the hub, the process that runs MCP servers and kept background tasks for all of your clients: whether it runs, its\n" +
    "clients, servers with their memory, and kept tasks. Starts nothing. Exits with 1 when a hub runs and does not answer.",
  flags: { ...jsonFlag, ...directoryFlags },
  arguments: { min: 0, max: 0 },
  needsPerson: false,
  async run({ args, io, print }) {
    const report = await readHubReport(readStartUp(args, io), io);
    if (args.has("json")) print.json(report);
    else printHub(report, print, Date.now());
    return report.problem === null ? exitCodes.done : exitCodes.failed;
  },
};

export const hubStopCommand: Command = {
  usage: "[--kept] [--json]",
  description:
    "Ends the hub and the MCP servers that it runs. Clients that use it go on, and start another one. While kept background\n" +
    "tasks are running nothing is ended, unless --kept ends them too. Returns when the hub has gone.",
  examples: ["hub stop", "hub stop --kept"],
  flags: {
    kept: { kind: "switch", help: "End running kept tasks too." },
    ...jsonFlag,
    ...directoryFlags,
  },
  arguments: { min: 0, max: 0 },
  // It ends the work of other clients.
  needsPerson: true,
  async run(context) {
    const { args, print } = context;
    const stopped = await stopHub(context);
    if (args.has("json")) print.json(stopped);
    else if (stopped.pid === null) print.note(whyNoHub() ?? "No hub is running.");
    else print.done(stoppedText(stopped));
    return exitCodes.done;
  },
};

/** The hub that has ended, and the things that it ran. */
interface Stopped {
  readonly pid: number | null;
  readonly clients: number;
  readonly servers: number;
  readonly kept: number;
}

const nothing: Stopped = { pid: null, clients: 0, servers: 0, kept: 0 };

/** @throws AppError `refused` while kept tasks run, `system` when it does not end */
async function stopHub(context: CommandContext): Promise<Stopped> {
  const { args, io } = context;
  if (whyNoHub() !== undefined) return nothing;
  const { scorpioxDir } = readStartUp(args, io).dirs;
  const own = findHubs(scorpioxDir).find(({ isOwn }) => isOwn);
  if (own === undefined) return nothing;
  using watch = await openHubWatch(own.place, io.interrupted);
  if (watch === undefined) return nothing;
  const status = await watch.status();
  const outcome = await watch.stop({ endsKept: args.has("kept") });
  if (outcome.kind === "keeps") throw keptTasksRun(outcome.running);
  await withProgress(
    context,
    () => "Ending the hub",
    () => untilGone(watch, own, status),
  );
  return {
    pid: status.pid,
    clients: status.clients.length,
    servers: status.servers.filter(({ pid }) => pid !== undefined).length,
    kept: status.kept.filter(({ state }) => state === "running").length,
  };
}

function keptTasksRun(running: number): AppError {
  const tasks = running === 1 ? "1 kept task is" : `${running} kept tasks are`;
  const advice = `End each with KillBgTask, or all of them with: ${product.name} hub stop --kept`;
  return new AppError("refused", `Nothing was ended: ${tasks} running. ${advice}`);
}

function stoppedText({ pid, clients, servers, kept }: Stopped): string {
  const tasks = kept === 0 ? "" : `, and ${formatAmount(kept, "kept task")}`;
  const ended = `The hub (process ${pid}) has ended, with ${formatAmount(servers, "MCP server")}${tasks}.`;
  if (clients === 0) return ended;
  return `${ended} ${formatAmount(clients, "client")} used it and may start another one.`;
}

/** Its servers have 5 s to end, and it has as long for the rest. */
const endMsMax = 10_000;
const lookMs = 20;

/** Resolves when its process has gone. @throws AppError `system` when it does not go */
async function untilGone(watch: HubWatch, { record }: FoundHub, status: HubStatus): Promise<void> {
  const deadline = performance.now() + endMsMax;
  await Promise.race([watch.closed, Bun.sleep(endMsMax)]);
  if (record === undefined) return;
  while (isHubAlive(record)) {
    if (performance.now() > deadline) {
      throw new AppError(
        "system",
        `The hub (process ${status.pid}) did not end within ${endMsMax / 1_000} s. Its log says why: ${status.log}. End it with: kill -9 ${status.pid}`,
      );
    }
    await Bun.sleep(lookMs);
  }
}
