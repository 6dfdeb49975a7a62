import { chmodSync, lstatSync, readFileSync, rmdirSync, rmSync } from "node:fs";

import { formatAmount, oneLine } from "../../base/cut-text.ts";
import { systemCodeOf } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import type { HubPlace } from "../../hub/link/hub-place.ts";
import type { HubRecord } from "../../hub/link/hub-lock.ts";
import { findHubs, type FoundHub, isHubAlive } from "../../hub/link/find-hubs.ts";
import { runFolderIn } from "../../interact/attach/run-folder.ts";
import { loadUpstreamConfig } from "../../upstream/config/load-upstream-config.ts";
import type { UpstreamConfig } from "../../upstream/config/server-entry.ts";
import { configPartsOf } from "../../upstream/config/upstream-start.ts";
import { readServerStatuses, type ServerStatus } from "../../upstream/status/server-status.ts";
import type { CommandContext } from "../command.ts";
import { type HubReport, readHubReport } from "../hub-report.ts";
import { shareableServers, sharingAdvice } from "../shareable-servers.ts";
import type { StartUp } from "../start-up.ts";
import { type Finding, fault, note, ok, ownRemedy } from "./finding.ts";

/** The hub of this user: can it listen, does it answer, and are files of an ended one left. */
export async function hubFindings(
  { io }: CommandContext,
  start: StartUp,
): Promise<readonly Finding[]> {
  const report = await readHubReport(start, io);
  if (report.unsupported !== null) return [ok("hub", withoutStop(report.unsupported))];
  const { scorpioxDir } = start.dirs;
  const hubs = findHubs(scorpioxDir);
  return [
    ...folderFindings(runFolderIn(scorpioxDir), process.getuid?.()),
    ...runningFindings(report),
    ...hubs.flatMap(leftFindings),
    ...(report.mode === "off"
      ? aloneFindings(await readServerStatuses(scorpioxDir))
      : sharingFindings(loadUpstreamConfig(configPartsOf(start, io.env)))),
  ];
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, "");
}

/** Others could put a socket of their own into it, or read the key. */
export function folderFindings(folder: string, uid: number | undefined): readonly Finding[] {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (!stats.isDirectory())
    return [fault("hub", `${folder} is not a folder`, `move it away: mv ${folder} ${folder}.old`)];
  if (uid !== undefined && stats.uid !== uid)
    return [fault("hub", `${folder} belongs to another user`, ownRemedy(folder))];
  if ((stats.mode & 0o077) === 0) return [];
  return [
    fault("hub", `others may enter ${folder}, where the hub listens`, `chmod 700 ${folder}`, () =>
      chmodSync(folder, 0o700),
    ),
  ];
}

function runningFindings(report: HubReport): readonly Finding[] {
  const { hub, problem, mode, source, others } = report;
  const older = others.map(({ pid, version }) =>
    note(
      "hub",
      `a hub of another build (version ${version}, process ${pid}) still serves its clients`,
      "restart the clients that have been running since before the update",
    ),
  );
  if (problem !== null) {
    const { pid, reason } = problem;
    const who = pid === null ? "it" : `process ${pid}`;
    const remedy = pid === null ? `${product.name} hub status` : `kill -9 ${pid}`;
    return [fault("hub", `${who} cannot be asked: ${reason}`, remedy), ...older];
  }
  if (hub === null) {
    const why = mode === "off" ? `none is used: HUB=off (${source})` : "none is running";
    return [ok("hub", why), ...older];
  }
  const facts = [
    formatAmount(hub.clients.length, "client"),
    formatAmount(hub.servers.length, "MCP server"),
    formatAmount(hub.kept.length, "kept task"),
  ];
  const tied =
    hub.endsWith === undefined
      ? []
      : [
          note(
            "hub",
            `it ends with ${hub.endsWith}, which started it and which it could not leave`,
            "start one client outside of that one's container or service",
          ),
        ];
  return [ok("hub", `process ${hub.pid} has ${facts.join(", ")}`), ...tied, ...older];
}

/** Characters that are read from the end of the log. */
const logTailChars = 64 * 1024;

function leftFindings({ place, record, isAlive, isOwn }: FoundHub): readonly Finding[] {
  if (record === undefined) return [];
  if (isAlive) return isOwn ? logFindings(place) : [];
  if (!isOwn) {
    const text = `files of a hub of another build (version ${record.version}), which has ended, are left in ${place.folder}`;
    const fix = (): void => {
      // One of that build may begin at this moment.
      if (!isHubAlive(record)) removeFiles(place, record);
    };
    return [{ ...note("hub", text, `${product.name} doctor --fix`), fix }];
  }
  // A hub that ends in order says that it listens nowhere any more.
  if (record.socket === undefined) return [];
  const last = lastLineOf(place);
  const said = last === "" ? "" : `, and wrote last: ${last}`;
  return [
    note(
      "hub",
      `the last one (process ${record.pid}) was killed or has crashed${said}`,
      `read ${place.logFile}; the next client starts another one`,
    ),
  ];
}

/** Its own files only: a folder in which anything else is left stays. */
function removeFiles(place: HubPlace, { generation }: HubRecord): void {
  const { folder, lockFile, electionFile, keyFile, logFile } = place;
  const others = [keyFile, electionFile, logFile, `${logFile}.old`, lockFile];
  const files = [...place.sockets(generation), ...others];
  for (const file of files) rmSync(file, { force: true });
  try {
    rmdirSync(folder);
  } catch (error) {
    if (systemCodeOf(error) !== "ENOTEMPTY") throw error;
  }
}

/** Mistakes of the program that its log names; work for other clients went on. */
function logFindings(place: HubPlace): readonly Finding[] {
  const errors = endOfLog(place).filter((line) => line.includes(" internal error: "));
  const last = errors.at(-1);
  if (last === undefined) return [];
  const text = `its log has ${formatAmount(errors.length, "internal error")}, the last one: ${oneLine(last, 200)}`;
  return [note("hub", text, `report it with the lines from ${place.logFile}`)];
}

function lastLineOf(place: HubPlace): string {
  return oneLine(endOfLog(place).at(-1) ?? "", 200);
}

function endOfLog({ logFile }: HubPlace): readonly string[] {
  try {
    return readFileSync(logFile, "utf8").slice(-logTailChars).trimEnd().split("\n");
  } catch {
    return [];
  }
}

/** Servers that one process could serve for all projects. */
function sharingFindings(config: UpstreamConfig): readonly Finding[] {
  return shareableServers(config).map((server) => {
    const { text, remedy } = sharingAdvice(server);
    return note("hub", text, remedy);
  });
}

/** States in which a server has a process of its own. */
const runs: ReadonlySet<string> = new Set(["starting", "ready", "degraded"]);

/** Without a hub, several processes of scorpiox-code may run the same servers beside each other. */
export function aloneFindings(statuses: readonly ServerStatus[]): readonly Finding[] {
  const users = new Map<string, Set<number>>();
  for (const { pid, servers } of statuses) {
    for (const { name, state, transport } of servers) {
      if (transport !== "stdio" || !runs.has(state)) continue;
      users.set(name, (users.get(name) ?? new Set()).add(pid));
    }
  }
  const several = [...users].filter(([, pids]) => pids.size > 1);
  if (several.length === 0) return [];
  const names = several.map(([name]) => name).sort();
  const clients = Math.max(...several.map(([, pids]) => pids.size));
  const text = `${clients} clients each run ${names.join(", ")} for themselves, since HUB is off`;
  return [note("hub", text, `${product.name} config set HUB auto`)];
}
