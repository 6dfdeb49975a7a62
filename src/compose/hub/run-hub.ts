import { writeSync } from "node:fs";
import { join } from "node:path";

import { messageOf } from "../../base/errors.ts";
import { escapeUnsafe } from "../../base/unsafe-characters.ts";
import { killTime } from "../../commands/process/family.ts";
import { Hub } from "../../hub/hub.ts";
import { decodeHubArguments } from "../../hub/hub-arguments.ts";
import { JoinedProcesses, UpstreamSessions } from "../../hub/upstream-sessions.ts";
import { serviceThatEnds, starterThatEnds, statusOfHub } from "../../hub/status-of-hub.ts";
import { type HubPlace, hubPlaceOf } from "../../hub/link/hub-place.ts";
import { type HubListener, listenForClients } from "../../hub/link/listen.ts";
import type { HubStatus } from "../../hub/watch/hub-status.ts";
import { serveWatch } from "../../hub/watch/serve-watch.ts";
import { ServerLogs } from "../../upstream/process/server-logs.ts";
import { onEndSignal } from "../end-signals.ts";
import { openHubKept } from "./hub-kept.ts";
import { openHubCommands, openSharedServers } from "./open-shared-servers.ts";

/** The hub from start to end: the process of this program that `reach-hub.ts` starts. @returns its exit code */
export async function runHub(argument: string): Promise<number> {
  const given = decodeHubArguments(argument);
  const place = hubPlaceOf(given.scorpioxDir);
  prepareProcess();
  const { scorpioxDir } = given;
  const onChange = (): void => {
    retell();
    hub.reconsider();
  };
  const commands = openHubCommands(given, log);
  const clients = (): number => sessions.size;
  const { servers, open, warm, retell } = openSharedServers(commands, { ...given, clients, log });
  const logs = new ServerLogs(join(scorpioxDir, "logs"));
  const joined = new JoinedProcesses(() => Promise.resolve(servers), logs);
  const sessions = new UpstreamSessions({ open, shared: joined, scorpioxDir, onChange, log });
  const startedAt = Date.now();
  const endsWith = lookForEnd();
  const { tasks: kept, isBusy } = openHubKept({ ...given, onChange, log, commands, endsWith });
  let listener: HubListener | undefined;
  const status = (): HubStatus =>
    statusOfHub({
      startedAt,
      build: place.name,
      log: place.logFile,
      endsWith: endsWith(),
      clients: hub.clients(),
      sessions: sessions.facts(),
      kept: kept.status(),
    });
  const stop = async (): Promise<void> => {
    await kept.endAll();
    hub.end("hub stop");
  };
  const hub: Hub = new Hub({
    services: {
      upstream: sessions,
      kept,
      watch: { accept: (_, link) => serveWatch(link, { status, stop }) },
    },
    holdsOn: isBusy,
    idleMs: given.idleS * 1_000,
    holdsLock: () => listener?.holdsLock() ?? true,
    log,
  });
  onEndSignal((signal) => hub.end(signal));
  const begun = await beginToListen(place, hub);
  if (typeof begun === "number") return begun;
  listener = begun;
  // Not before: it opens the database of families, and clients wait for the socket.
  warm();
  void kept.begin();
  log(`The hub ends: ${await hub.ended}.`);
  listener.stop();
  hub[Symbol.dispose]();
  // Servers are not asked one step after the other as by a client that stays: the hub ends within seconds.
  await Promise.all([sessions, joined, kept].map((part) => part[Symbol.asyncDispose]()));
  await commands.supervisor.endBy(killTime(), servers.endBy(killTime()));
  commands.ledger[Symbol.dispose]();
  listener[Symbol.dispose]();
  return 0;
}

/** The exit code where another hub is there already, or none is possible. */
async function beginToListen(place: HubPlace, { accept }: Hub): Promise<HubListener | number> {
  try {
    return (await listenForClients(place, accept, { warn: log })) ?? 0;
  } catch (error) {
    log(`The hub does not begin: ${messageOf(error)}.`);
    return 1;
  }
}

function log(line: string): void {
  try {
    writeSync(2, `${new Date().toISOString()} ${escapeUnsafe(line)}\n`);
  } catch {
    // The disk is full. To report that would only report it again, forever.
  }
}

/** The process or service with which this one ends, as far as it is known. */
function lookForEnd(): () => string | undefined {
  let starter: string | undefined;
  void starterThatEnds().then((found) => (starter = found));
  return () => starter ?? serviceThatEnds();
}

function prepareProcess(): void {
  const report = (error: unknown): void => log(`internal error: ${messageOf(error)}`);
  // Each client's requests use its own proxies: those of the starter are not for all.
  for (const name of Object.keys(process.env)) {
    if (/^(?:https?|all|no)_proxy$/i.test(name)) delete process.env[name];
  }
  // Whatever it makes is for this user alone.
  process.umask(0o077);
  // A mistake in the work for one client must not end the others'.
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
}
