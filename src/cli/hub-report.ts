import { messageOf } from "../base/errors.ts";
import { hubKey } from "../config/hub-keys.ts";
import { noHubOnWindows } from "../hub/link/hub-place.ts";
import { findHubs, type FoundHub } from "../hub/link/find-hubs.ts";
import type { HubStatus } from "../hub/watch/hub-status.ts";
import { openHubWatch } from "../hub/watch/hub-watch.ts";
import { residentBytesOf, residentBytesOfGroups } from "../hub/status-of-hub.ts";
import { loadUpstreamConfig } from "../upstream/config/load-upstream-config.ts";
import { configPartsOf } from "../upstream/config/upstream-start.ts";
import { sourceText } from "./config-file-scope.ts";
import type { CommandIo } from "./command-io.ts";
import { repeatedServers, sharingAdvice } from "./shareable-servers.ts";
import type { StartUp } from "./start-up.ts";

/** The hub as a command finds it. */
export interface HubReport {
  readonly mode: "auto" | "on" | "off";
  /** Where HUB comes from. */
  readonly source: string;
  readonly idleS: number;
  /** Why this system can have no hub; null when it can. */
  readonly unsupported: string | null;
  /** Null when none runs for this build, or it could not be asked. */
  readonly hub: (HubStatus & { readonly residentBytes: number | null }) | null;
  /** The process that could not be asked, and why. */
  readonly problem: { readonly pid: number | null; readonly reason: string } | null;
  /** Hubs of other builds, which end with their clients. */
  readonly others: readonly OtherHub[];
}

interface OtherHub {
  readonly pid: number;
  readonly version: string;
  readonly startedAt: number;
  readonly log: string;
}

/** Why there is no hub on this system; undefined where there can be one. */
export function whyNoHub(platform: NodeJS.Platform = process.platform): string | undefined {
  if (platform !== "win32") return undefined;
  return `${noHubOnWindows.charAt(0).toUpperCase()}${noHubOnWindows.slice(1)}.`;
}

/** Looks at the hub of this build, which it never starts, and at those of other builds. */
export async function readHubReport(start: StartUp, io: CommandIo): Promise<HubReport> {
  const { dirs, config } = start;
  const { mode, idleS } = config.settings.hub;
  const entry = config.entries().find(({ key }) => key === hubKey.name);
  const setting = { mode, source: sourceText(entry?.source ?? { level: "default" }), idleS };
  const unsupported = whyNoHub() ?? null;
  if (unsupported !== null)
    return { ...setting, unsupported, hub: null, problem: null, others: [] };
  const hubs = findHubs(dirs.scorpioxDir);
  const own = hubs.find(({ isOwn }) => isOwn);
  const asked = own === undefined ? {} : await askHub(own, io);
  return {
    ...setting,
    unsupported,
    hub: asked.status === undefined ? null : withMemory(withHints(asked.status, start, io)),
    problem: asked.problem ?? null,
    others: hubs.flatMap(otherHub),
  };
}

function otherHub({ isOwn, isAlive, record, place }: FoundHub): readonly OtherHub[] {
  if (isOwn || !isAlive || record === undefined) return [];
  const { pid, version, startedAt } = record;
  return [{ pid, version, startedAt, log: place.logFile }];
}

interface AskedHub {
  readonly status?: HubStatus;
  readonly problem?: HubReport["problem"];
}

async function askHub({ place, record, isAlive }: FoundHub, io: CommandIo): Promise<AskedHub> {
  const pid = isAlive ? (record?.pid ?? null) : null;
  try {
    using watch = await openHubWatch(place, io.interrupted);
    return watch === undefined ? {} : { status: await watch.status() };
  } catch (error) {
    const sign = await io.startedByServer?.();
    const why =
      sign === undefined
        ? messageOf(error)
        : `a server started this process (${sign}), and the hub answers nothing that a server has started`;
    return { problem: { pid, reason: why.replace(/\.$/, "") } };
  }
}

/** With advice about the servers that this folder's configuration names. */
function withHints(status: HubStatus, start: StartUp, io: CommandIo): HubStatus {
  const config = loadUpstreamConfig(configPartsOf(start, io.env));
  const hints = repeatedServers(config, status).map((server) => {
    const { text, remedy } = sharingAdvice(server);
    return `${text}: ${remedy}`;
  });
  return { ...status, hints: [...status.hints, ...hints] };
}

/** With memory as the system has it now, where the hub has not said it. */
function withMemory(status: HubStatus): HubReport["hub"] {
  const unknown = status.servers.flatMap(({ pid, residentBytes }) =>
    pid === undefined || residentBytes !== undefined ? [] : [pid],
  );
  const sums = residentBytesOfGroups(unknown);
  return {
    ...status,
    residentBytes: residentBytesOf(status.pid) ?? null,
    servers: status.servers.map((server) => {
      const bytes = server.residentBytes ?? sums.get(server.pid ?? 0);
      return bytes === undefined ? server : { ...server, residentBytes: bytes };
    }),
  };
}
