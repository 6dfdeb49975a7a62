import { join } from "node:path";

import { messageOf } from "../base/errors.ts";
import { escapeUnsafe } from "../base/unsafe-characters.ts";
import { killTime } from "../commands/process/family.ts";
import { Hub } from "../hub/hub.ts";
import { decodeHubArguments } from "../hub/hub-arguments.ts";
import { JoinedProcesses } from "../hub/joined-processes.ts";
import { serviceThatEnds, starterThatEnds } from "../hub/link/ends-with.ts";
import { hubPlaceOf } from "../hub/link/hub-place.ts";
import { type HubListener, listenForClients } from "../hub/link/listen.ts";
import { statusOfHub } from "../hub/status-of-hub.ts";
import { UpstreamSessions } from "../hub/upstream-sessions.ts";
import type { HubStatus } from "../hub/watch/hub-status.ts";
import { serveWatch } from "../hub/watch/serve-watch.ts";
import { ServerLogs } from "../upstream/process/server-logs.ts";
import { openHubCommands, openSharedServers } from "./open-shared-servers.ts";

const endSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** The hub from start to end: the process of this program that `reach-hub.ts` starts. @returns its exit code */
export async function runHub(argument: string): Promise<number> {
  const given = decodeHubArguments(argument);
  const place = hubPlaceOf(given.scorpioxDir);
  const log = (line: string): void =>
    void process.stderr.write(`${new Date().toISOString()} ${escapeUnsafe(line)}\n`);
  const report = (error: unknown): void => log(`internal error: ${messageOf(error)}`);
  // A mistake in the work for one client must not end the others'.
  // Whatever it makes is for this user alone.
  process.umask(0o077);
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
  const commands = openHubCommands(given, log);
  const { servers, open } = openSharedServers(commands, given);
  const logs = new ServerLogs(join(given.scorpioxDir, "logs"));
  const joined = new JoinedProcesses(() => Promise.resolve(servers), logs);
  const sessions = new UpstreamSessions({
    open,
    shared: joined,
    scorpioxDir: given.scorpioxDir,
    onChange: () => hub.reconsider(),
    log,
  });
  const startedAt = Date.now();
  let endsWith: string | undefined;
  void starterThatEnds().then((found) => (endsWith = found));
  let listener: HubListener | undefined;
  const status = (): HubStatus =>
    statusOfHub({
      startedAt,
      build: place.name,
      log: place.logFile,
      endsWith: endsWith ?? serviceThatEnds(),
      sessions: sessions.facts(),
      kept: [],
    });
  const hub: Hub = new Hub({
    services: {
      upstream: sessions,
      kept: nobody,
      watch: {
        accept: (_, link) => serveWatch(link, { status, stop: async () => hub.end("hub stop") }),
      },
    },
    holdsOn: () => false,
    idleMs: given.idleS * 1_000,
    holdsLock: () => listener?.holdsLock() ?? true,
    log,
  });
  for (const signal of endSignals) process.on(signal, () => hub.end(signal));
  listener = await listenForClients(place, hub.accept, { warn: log });
  if (listener === undefined) return 0;
  log(`The hub ends: ${await hub.ended}.`);
  listener.stop();
  hub[Symbol.dispose]();
  await sessions[Symbol.asyncDispose]();
  await joined[Symbol.asyncDispose]();
  await commands.supervisor.endBy(killTime(), servers.endBy(killTime()));
  commands.ledger[Symbol.dispose]();
  listener[Symbol.dispose]();
  return 0;
}

const nobody = { accept: (): undefined => undefined };
