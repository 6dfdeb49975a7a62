import { product } from "../base/product.ts";
import { loadUpstreamConfig } from "../upstream/config/load-upstream-config.ts";
import type {
  ConfiguredServer,
  EntryOrigin,
  RootsRule,
  ServerLaunch,
  UpstreamConfig,
} from "../upstream/config/server-entry.ts";
import { configPartsOf } from "../upstream/config/upstream-start.ts";
import type { NewEntry } from "../upstream/edit/server-text.ts";
import { isComing, type ServerInfo } from "../upstream/server-state.ts";
import { launchVerdictOf } from "../upstream/trust/launch-approval.ts";
import { TrustStore } from "../upstream/trust/trust-store.ts";
import { type CommandIo, exitCodes, type Printer } from "./command-io.ts";
import type { StartUp } from "./start-up.ts";
import { serverWord, type TrustState } from "./state-words.ts";
import { shownEntry } from "./typed-server.ts";

/** One server, as `mcp list --json` has it. */
export interface ServerRow {
  readonly name: string;
  readonly transport: "stdio" | "http";
  readonly scope: EntryOrigin["scope"];
  /** Null: the environment. */
  readonly file: string | null;
  readonly enabled: boolean;
  readonly trust: TrustState;
  /** The user's own entry of that name, used until this one is approved. */
  readonly standIn: Place | null;
  /** Its roots, if its entry has them. */
  readonly roots: RootsRule | null;
  /** The command or the address, secrets hidden. */
  readonly launch: NewEntry;
  readonly shadowed: readonly Place[];
}

interface Place {
  readonly scope: EntryOrigin["scope"];
  readonly file: string | null;
}

/** The merged view; its problems go to stderr. Starts nothing. */
export function readServers(start: StartUp, io: CommandIo, print: Printer): UpstreamConfig {
  const config = loadUpstreamConfig(configPartsOf(start, io.env));
  for (const problem of config.problems) print.warning(problem);
  for (const notice of config.notices) print.note(notice);
  if (!config.isOn)
    print.note(
      "MCP servers are disabled: MCP is off, or scorpiox-code started this process as an MCP server.",
    );
  return config;
}

/** A row for each server, in the order of their names. */
export async function serverRows(
  config: UpstreamConfig,
  start: StartUp,
): Promise<readonly ServerRow[]> {
  const servers = [...config.servers.values()].toSorted((one, other) =>
    one.entry.name < other.entry.name ? -1 : 1,
  );
  const rows: ServerRow[] = [];
  for (const server of servers) rows.push(rowOf(server, await trustOf(server, start)));
  return rows;
}

/** Whether the server may be started (CN7). */
export async function trustOf(
  server: ConfiguredServer,
  { dirs, upstream }: StartUp,
): Promise<TrustState> {
  if (server.entry.origin.trust === "user") return "user";
  const { projectDir, scorpioxDir } = dirs;
  if (projectDir === undefined) return "pending";
  const verdict = await launchVerdictOf(server, projectDir, new TrustStore(scorpioxDir));
  if (verdict === undefined) return upstream.trustsProject ? "approved" : "pending";
  return verdict;
}

/** For `--verbose`: how a server is started or reached, secrets hidden. */
export function launchDetail({ entry: { name, launch, origin } }: ConfiguredServer): string {
  const { url, command, args } = shownLaunch(launch);
  const words = [command, ...(Array.isArray(args) ? args : [])].map(String).join(" ");
  const how = typeof url === "string" ? `connects to ${url}` : `starts ${words}`;
  return `${name} ${how} (${origin.file ?? "the environment"})`;
}

/** The launch as a file would have it, secrets hidden. */
function shownLaunch(launch: ServerLaunch): NewEntry {
  const { transport: _transport, ...fields } = launch;
  return shownEntry(fields);
}

export function placeOf({ scope, file }: EntryOrigin): Place {
  return { scope, file: file ?? null };
}

function rowOf({ entry, shadowed, standIn }: ConfiguredServer, trust: TrustState): ServerRow {
  return {
    name: entry.name,
    transport: entry.launch.transport,
    ...placeOf(entry.origin),
    enabled: entry.isEnabled,
    trust,
    standIn: standIn === undefined || trust === "approved" ? null : placeOf(standIn.entry.origin),
    roots: entry.options.roots ?? null,
    launch: shownLaunch(entry.launch),
    shadowed: shadowed.map(({ origin }) => placeOf(origin)),
  };
}

/** Why the tools of a server are not all there, and what to do; undefined when they are. Several lines. */
export function notReadyText(info: ServerInfo): string | undefined {
  const { name, state, reason } = info;
  if (state === "ready" || state === "cached" || state === "disabled") return undefined;
  const why = reason === null ? "" : ` ${readable(reason)}`;
  const isFailed = state === "backoff" || state === "failed" || isComing(state);
  const test = isFailed ? ` (more: ${product.name} mcp test ${name})` : "";
  return `${serverWord(info)}${test}.${why}`;
}

/** The exit code of a command that needed this server. */
export function stateCode({ state }: ServerInfo): number {
  if (state === "untrusted" || state === "needs_auth") return exitCodes.needsApproval;
  const isThere = state === "ready" || state === "cached" || state === "disabled";
  return isThere || state === "degraded" ? exitCodes.done : exitCodes.unreachable;
}

/** A reason may hold lines that a server wrote: they are marked, so that none looks like our own text. */
export function readable(reason: string): string {
  return reason.replaceAll(/\r\n?|\n/g, "\n  | ");
}
