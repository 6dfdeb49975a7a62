import { join } from "node:path";
import { product } from "../../base/product.ts";
import { escapeName } from "../../base/unsafe-characters.ts";
import type { ConfiguredServer } from "../../upstream/config/server-entry.ts";
import type { ServerInfo, TrialStep, TriedServer } from "../../upstream/server-state.ts";
import { exitCodes } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";
import {
  enabledServer,
  launchDetail,
  openServers,
  trustOf,
  type ServersOfCommand,
} from "../configured-servers.ts";
import { jsonFlag, startUpFlags } from "../flags.ts";
import type { Mark } from "../look.ts";
import { ServerProgress, withProgress } from "../progress.ts";
import { readable, serverStates } from "../state-words.ts";
import { offerText, stderrLines } from "../status-lines.ts";

/** How one server was found. */
type Finding =
  | { readonly kind: "tried"; readonly server: string; readonly tried: TriedServer }
  /** It may not be started. */
  | { readonly kind: "untrusted"; readonly server: string; readonly reason: string }
  /** scorpiox-code failed, not the server. */
  | { readonly kind: "unknown"; readonly server: string; readonly reason: string };

export const mcpTestCommand: Command = {
  usage: "[NAME ...] [--json]",
  description:
    "Starts the servers, negotiates a protocol revision with each, reads its lists, and ends it. Prints the time of each\n" +
    "step and how to fix a failure. Exits with 0 when all work, 12 when one cannot be reached, 4 when one waits for\n" +
    "approval or a login, 3 when there is none.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 0, max: Number.MAX_SAFE_INTEGER },
  needsPerson: false,
  async run(context) {
    const { args, print } = context;
    const view = await openServers(context);
    const names = [...new Set(args.positionals)];
    const servers =
      names.length === 0 ? view.servers : names.map((name) => enabledServer(view, name));
    const findings = await findingsOf(context, view, servers);
    if (args.has("json")) print.json(findings.map(rowOf));
    else {
      const logs = join(view.start.dirs.scorpioxDir, "logs");
      for (const one of findings) {
        const [head = "", ...rest] = linesOf(one, logs);
        print.marked(markOf(one), head);
        for (const line of rest) print.line(line);
      }
    }
    if (findings.length > 0) return exitCodeOf(findings);
    print.note(`There are no servers to test. Add one: ${product.name} mcp add`);
    return exitCodes.notFound;
  },
};

async function findingsOf(
  context: CommandContext,
  { start }: ServersOfCommand,
  servers: readonly ConfiguredServer[],
): Promise<readonly Finding[]> {
  const { services, io } = context;
  const refusals = new Map<string, string>();
  for (const server of servers) {
    const trust = await trustOf(server, start);
    const { name } = server.entry;
    if (trust === "denied") refusals.set(name, "You have denied it.");
    if (trust === "pending") refusals.set(name, "It needs approval.");
  }
  const tried = servers.filter(({ entry }) => !refusals.has(entry.name));
  for (const server of tried) context.print.detail(launchDetail(server));
  const progress = new ServerProgress("Starting", names(tried));
  const outcomes = await withProgress(context, progress.text, () =>
    services.triedUpstreams(start, tried, io.interrupted, progress),
  );
  return servers.map(({ entry: { name } }): Finding => {
    const refusal = refusals.get(name);
    if (refusal !== undefined) {
      const reason = `${refusal} See and approve it: ${product.name} mcp approve ${name}`;
      return { kind: "untrusted", server: name, reason };
    }
    const outcome = outcomes.get(name) ?? "It was not tested.";
    if (typeof outcome !== "string" && outcome.info.startedAs !== undefined) {
      context.print.detail(`${name} was started as ${outcome.info.startedAs}`);
    }
    return typeof outcome === "string"
      ? { kind: "unknown", server: name, reason: outcome }
      : { kind: "tried", server: name, tried: outcome };
  });
}

function names(servers: readonly ConfiguredServer[]): readonly string[] {
  return servers.map(({ entry }) => entry.name);
}

function rowOf(finding: Finding): unknown {
  if (finding.kind !== "tried") {
    const { server, kind, reason } = finding;
    return { name: server, usable: false, steps: [], state: kind, reason };
  }
  const { info, isUsable, steps } = finding.tried;
  const shown = steps.map(({ name, ms, isDone }) => ({ name, ms, done: isDone }));
  return { ...info, usable: isUsable, steps: shown };
}

/** @param logs the folder of the servers' logs */
function linesOf(finding: Finding, logs: string): readonly string[] {
  if (finding.kind !== "tried") return [`${finding.server}: ${finding.reason}`];
  const { info, isUsable, steps } = finding.tried;
  const times = steps.map(stepText).join(", ");
  const reason = info.reason === null ? [] : [`  ${readable(info.reason)}`];
  if (!isUsable) {
    const last = stderrLines(info).map((line) => `  ${line}`);
    const head = `${info.name}: ${stateText(info)}${times === "" ? "" : ` (${times})`}`;
    return [head, ...reason, ...last, ...adviceOn(finding.tried, logs)];
  }
  const version = info.serverVersion === null ? "" : ` ${escapeName(info.serverVersion)}`;
  return [
    `${info.name}${version}: ${stateText(info)} (${times})`,
    `  MCP ${info.protocolVersion}, ${offerText(info)}`,
    ...reason,
  ];
}

/** There is no retry here. */
function stateText({ state }: ServerInfo): string {
  return serverStates[state === "backoff" ? "failed" : state].word;
}

function markOf(finding: Finding): Mark {
  if (finding.kind !== "tried") return finding.kind === "untrusted" ? "attention" : "bad";
  const { info, isUsable } = finding.tried;
  const { mark } = serverStates[info.state];
  return !isUsable && info.state === "backoff" ? "bad" : mark;
}

/** Hints that the reason itself lacks. */
function adviceOn({ info, steps }: TriedServer, logs: string): readonly string[] {
  const { name, reason, transport } = info;
  if (transport === "http" || !steps.some(({ name }) => name === "negotiate")) return [];
  const isSilent = reason?.includes("No answer in") === true;
  const silence =
    "  Does its command speak MCP over stdin and stdout? If it is only slow, raise init_timeout_ms.";
  return [...(isSilent ? [silence] : []), `  Its log: ${join(logs, `mcp-${name}.log`)}`];
}

function stepText({ name, ms, isDone }: TrialStep): string {
  return isDone ? `${name} ${ms} ms` : `${name} failed after ${ms} ms`;
}

/** An unreachable server has priority over one that waits for the user. */
function exitCodeOf(findings: readonly Finding[]): number {
  const needsUser = (finding: Finding): boolean =>
    finding.kind === "untrusted" ||
    (finding.kind === "tried" && ["needs_auth", "untrusted"].includes(finding.tried.info.state));
  const failed = findings.filter((finding) => finding.kind !== "tried" || !finding.tried.isUsable);
  if (failed.length === 0) return exitCodes.done;
  return failed.every(needsUser) ? exitCodes.needsApproval : exitCodes.unreachable;
}
