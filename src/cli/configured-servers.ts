import { AppError } from "../base/errors.ts";
import { suggestionFor } from "../config/nearest-name.ts";
import { loadUpstreamConfig } from "../upstream/config/load-upstream-config.ts";
import type { ConfiguredServer, UpstreamConfig } from "../upstream/config/server-entry.ts";
import { configPartsOf } from "../upstream/config/upstream-start.ts";
import type { AskedCatalogue } from "../upstream/server-state.ts";
import { launchVerdictOf } from "../upstream/trust/launch-approval.ts";
import type { ServerToLock } from "../upstream/trust/lock/lock-of.ts";
import { lockFileName } from "../upstream/trust/lock/read-lock.ts";
import { TrustStore } from "../upstream/trust/trust-store.ts";
import type { AskedAs } from "../upstream/upstreams.ts";
import type { CommandIo, ParsedArguments, Printer } from "./command-io.ts";
import type { CommandContext } from "./command.ts";
import { ServerProgress, withProgress } from "./progress.ts";
import { readStartUp, type StartUp } from "./start-up.ts";
import { readable, type TrustState } from "./state-words.ts";
import { shownLaunch } from "./typed-server.ts";

/** The configured servers of one command, with the user's approvals. */
export interface ServersOfCommand {
  readonly start: StartUp;
  readonly config: UpstreamConfig;
  /** The servers that are switched on, by name. */
  readonly servers: readonly ConfiguredServer[];
  readonly store: TrustStore;
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

/** Reads configuration and approvals; warns of problems in them. */
export async function openServers({ args, io, print }: CommandContext): Promise<ServersOfCommand> {
  const start = readStartUp(args, io);
  const config = readServers(start, io, print);
  const store = new TrustStore(start.dirs.scorpioxDir);
  const problem = await store.problem();
  if (problem !== undefined) print.warning(problem);
  const servers = [...config.servers.values()].filter(({ entry }) => entry.isEnabled);
  return { start, config, servers: servers.toSorted(byName), store };
}

/** The order in which commands show servers. */
export function byName(one: ConfiguredServer, other: ConfiguredServer): number {
  return one.entry.name < other.entry.name ? -1 : 1;
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

/** A server that is switched on. @throws AppError `not_found` */
export function enabledServer({ config }: ServersOfCommand, name: string): ConfiguredServer {
  const server = serverNamed(config, name);
  if (server.entry.isEnabled) return server;
  throw new AppError("not_found", `The server ${JSON.stringify(name)} is disabled.`);
}

/** A server, even if it is disabled. @throws AppError `not_found` */
export function serverNamed({ servers }: UpstreamConfig, name: string): ConfiguredServer {
  const server = servers.get(name);
  if (server !== undefined) return server;
  const suggestion = suggestionFor(name, servers.keys());
  throw new AppError(
    "not_found",
    `There is no server ${JSON.stringify(name.slice(0, 128))}.${suggestion} mcp list shows all.`,
  );
}

/**
 * Reads the servers' offers, all at the same time; skips a server that may not be started.
 * @returns by name, one for each of `servers`
 */
export async function askCatalogues(
  context: CommandContext,
  view: ServersOfCommand,
  servers: readonly ConfiguredServer[],
  how: AskedAs = {},
): Promise<ReadonlyMap<string, AskedCatalogue>> {
  const { services, io } = context;
  const replies = new Map<string, AskedCatalogue>();
  const asked: ConfiguredServer[] = [];
  for (const server of servers) {
    const state = await trustOf(server, view.start);
    if (state === "user" || state === "approved") asked.push(server);
    else replies.set(server.entry.name, { kind: "unreachable", reason: notStarted(state, server) });
  }
  if (asked.length === 0) return replies;
  for (const server of asked) context.print.detail(launchDetail(server));
  const names = asked.map(({ entry }) => entry.name);
  const { onInstalling, onEnd, text } = new ServerProgress("Asking", names);
  const answered = await withProgress(context, text, () =>
    services.upstreamCatalogues(view.start, asked, io.interrupted, {
      ...how,
      onInstalling,
      onEnd,
    }),
  );
  for (const { entry } of asked) {
    const reply = answered.get(entry.name);
    replies.set(entry.name, readableReply(reply ?? unasked));
  }
  return replies;
}

const unasked: AskedCatalogue = { kind: "unreachable", reason: "It was not contacted." };

function readableReply(reply: AskedCatalogue): AskedCatalogue {
  if (reply.kind === "catalogue") return reply;
  return { ...reply, reason: readable(reply.reason) };
}

function notStarted(state: TrustState, { entry }: ConfiguredServer): string {
  return state === "denied"
    ? "It is not started because you denied it."
    : `It is not started until you approve it: mcp approve ${entry.name}.`;
}

/** @throws AppError `usage` where there is no project */
export function projectOf({ config }: ServersOfCommand): string {
  if (config.projectDir !== undefined) return config.projectDir;
  throw new AppError(
    "usage",
    `${lockFileName} belongs to a project, and your home folder is not a project. Run this in a project's folder.`,
  );
}

interface AskedServers {
  readonly reached: readonly ServerToLock[];
  readonly unreachable: readonly { readonly name: string; readonly reason: string }[];
}

/** The user's own servers are left out: others get the lock too. */
export function isOfProject({ entry }: ConfiguredServer): boolean {
  return entry.origin.trust === "project";
}

export async function askAll(
  context: CommandContext,
  view: ServersOfCommand,
  servers: readonly ConfiguredServer[],
): Promise<AskedServers> {
  const replies = await askCatalogues(context, view, servers);
  const reached: ServerToLock[] = [];
  const unreachable: { readonly name: string; readonly reason: string }[] = [];
  for (const server of servers) {
    const reply = replies.get(server.entry.name);
    if (reply?.kind === "catalogue") {
      const { catalogue, scopes } = reply;
      const { entry, identity } = server;
      reached.push({ entry, identity, catalogue, ...(scopes === undefined ? {} : { scopes }) });
    } else
      unreachable.push({
        name: server.entry.name,
        reason: reply?.reason ?? "It was not contacted.",
      });
  }
  return { reached, unreachable };
}

/**
 * Checks for `--strict-config` that all files of MCP servers can be used. Without it their readers report problems later.
 * @throws {AppError} `usage` when something is wrong
 */
export function checkServers(args: ParsedArguments, io: CommandIo, print: Printer): void {
  const { problems } = loadUpstreamConfig(configPartsOf(readStartUp(args, io), io.env));
  for (const problem of problems) print.warning(problem);
  if (problems.length === 0) return;
  throw new AppError(
    "usage",
    `Not started: --strict-config, and ${problems.length} problem(s) with MCP servers.`,
  );
}
