import { orInterrupted } from "./command-io.ts";
import { formatAmount, formatCount, formatDuration } from "../base/cut-text.ts";
import { product } from "../base/product.ts";
import { escapeName } from "../base/unsafe-characters.ts";
import { upstreamToolsWaitMs } from "../base/upstream-limits.ts";
import { CatalogueCache } from "../upstream/cache/catalogue-cache.ts";
import { restingInfo } from "../upstream/status/resting-info.ts";
import { readServerStatuses } from "../upstream/status/server-status.ts";
import type { ServerInfo } from "../upstream/server-state.ts";
import { readLock } from "../upstream/trust/lock/read-lock.ts";
import { awaitServers } from "../upstream/upstreams.ts";
import type { CommandContext } from "./command.ts";
import { byName, type ServersOfCommand } from "./configured-servers.ts";
import { withProgress } from "./progress.ts";
import { readable, serverWord } from "./state-words.ts";

/** The status of a server for people: a line, and its problems below it. */
export function statusLines(info: ServerInfo): readonly string[] {
  const { name, state, reason, retryInMs } = info;
  const facts = [stateText(info), ...identityOf(info), offerText(info)].filter(Boolean).join(", ");
  const retry = retryInMs === null ? [] : [`  next attempt in ${formatDuration(retryInMs)}`];
  return [
    `${name}: ${facts}`,
    ...(info.startedAs === undefined ? [] : [`  started as ${escapeName(info.startedAs)}`]),
    ...callsLine(info),
    ...(reason === null ? [] : [`  ${readable(reason).replaceAll("\n", "\n  ")}`]),
    ...retry,
    ...(isWell(state) ? [] : stderrLines(info).map((line) => `  ${line}`)),
  ];
}

/** The server's last lines on stderr, unless the reason has them. */
export function stderrLines({ stderr, reason }: ServerInfo): readonly string[] {
  const isKnown = stderr.length === 0 || reason?.includes(stderr.at(-1) ?? "") === true;
  return isKnown ? [] : ["It wrote to stderr:", ...stderr.map((line) => `| ${line}`)];
}

/** Counts of its offer to clients, and of the blocked items. */
export function offerText(info: ServerInfo): string {
  if (info.era === null) return "";
  const { pending, changed, denied } = info.blocked;
  const kept = [
    { count: pending, what: pending === 1 ? "needs approval" : "need approval" },
    { count: changed, what: "changed" },
    { count: denied, what: "denied" },
  ];
  const offers = [
    formatAmount(info.tools, "tool"),
    ...kept.filter(({ count }) => count > 0).map(({ count, what }) => `${count} ${what}`),
    formatAmount(info.prompts, "prompt"),
    formatAmount(info.resources, "resource"),
  ];
  return offers.join(", ");
}

function stateText(info: ServerInfo): string {
  const { starts } = info;
  return `${serverWord(info)}${starts > 1 ? ` after ${starts} starts` : ""}`;
}

function identityOf({ pid, protocolVersion, serverVersion }: ServerInfo): readonly string[] {
  return [
    pid === null ? "" : `process ${pid}`,
    serverVersion === null ? "" : `version ${escapeName(serverVersion)}`,
    protocolVersion === null ? "" : `MCP ${protocolVersion}`,
  ];
}

function callsLine({ calls, failures, resultBytes, p50Ms, p95Ms, dropped }: ServerInfo): string[] {
  if (calls === 0 && dropped === 0) return [];
  const times = p50Ms === null ? [] : [`half of them within ${p50Ms} ms, 95 % within ${p95Ms} ms`];
  const facts = [
    formatAmount(calls, "call"),
    ...(failures === 0 ? [] : [`${failures} failed`]),
    ...times,
    `${formatCount(resultBytes)} bytes of results`,
    ...(dropped === 0 ? [] : [`${formatAmount(dropped, "message")} dropped`]),
  ];
  return [`  ${facts.join(", ")}`];
}

function isWell(state: ServerInfo["state"]): boolean {
  return state === "ready" || state === "cached" || state === "disabled" || state === "stopped";
}

/** The upstream servers as one scorpiox-code process sees them. */
export interface StatusView {
  readonly source: "running" | "connected" | "configuration";
  /** Null: no scorpiox-code process runs them. */
  readonly pid: number | null;
  readonly version: string;
  readonly projectDir: string | null;
  readonly servers: readonly ServerInfo[];
}

/** The views of all running processes of this user, those of this project first; for a project without one, its files. */
export async function readStatusViews(view: ServersOfCommand): Promise<readonly StatusView[]> {
  const { scorpioxDir, projectDir = null } = view.start.dirs;
  const running = (await readServerStatuses(scorpioxDir)).map((status): StatusView => {
    const { pid, version, projectDir: itsDir, servers } = status;
    return { source: "running", pid, version, projectDir: itsDir, servers };
  });
  const here = running.filter((one) => one.projectDir === projectDir);
  const elsewhere = running.filter((one) => one.projectDir !== projectDir);
  return [...(here.length > 0 ? here : [await restingView(view)]), ...elsewhere];
}

/**
 * Starts every server that may be started, and waits for the outcomes.
 * @throws {AppError} `cancelled` when the command is interrupted
 */
export function connectedView(
  view: ServersOfCommand,
  context: CommandContext,
): Promise<StatusView> {
  const names = view.servers.map(({ entry }) => entry.name).join(", ");
  return withProgress(
    context,
    () => `Starting ${names}`,
    () => connected(view, context),
  );
}

async function connected(
  view: ServersOfCommand,
  { services, io }: CommandContext,
): Promise<StatusView> {
  await using open = await services.openTools(view.start);
  const { upstreams } = open;
  if (!upstreams.isWanted) return viewOf(view, "connected", []);
  await orInterrupted(awaitServers(upstreams), io.interrupted);
  const waits = view.servers.map(({ entry: { name, options } }) =>
    upstreams.control({
      kind: "connect",
      server: name,
      // It may be asked twice, and be ended in between.
      waitMs: options.initTimeoutMs + upstreamToolsWaitMs,
    }),
  );
  // One that has gone from the configuration meanwhile is in no list.
  await orInterrupted(Promise.allSettled(waits), io.interrupted);
  return viewOf(view, "connected", await upstreams.infoList());
}

async function restingView(view: ServersOfCommand): Promise<StatusView> {
  const { start, store, config } = view;
  const { dirs, upstream } = start;
  const { projectDir } = dirs;
  const lock = projectDir === undefined ? { kind: "absent" as const } : await readLock(projectDir);
  const parts = {
    options: {
      dirs,
      trustsProject: upstream.trustsProject,
      onChange: upstream.onChange,
      toolNameMax: start.config.settings.mcp.toolNameMax,
    },
    trust: store,
    rules: () => config.rules,
    lock: () => lock,
    cache: new CatalogueCache(dirs.scorpioxDir),
  };
  const infos: ServerInfo[] = [];
  for (const server of [...config.servers.values()].toSorted(byName))
    infos.push(await restingInfo(server, parts));
  return viewOf(view, "configuration", infos);
}

function viewOf(
  { start }: ServersOfCommand,
  source: StatusView["source"],
  servers: readonly ServerInfo[],
): StatusView {
  const { projectDir = null } = start.dirs;
  return { source, pid: null, version: product.version, projectDir, servers };
}
