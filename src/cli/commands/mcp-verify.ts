import { AppError } from "../../base/errors.ts";
import type { ServerCatalogue } from "../../upstream/catalogue/server-catalogue.ts";
import {
  catalogueDifferences,
  type ItemDifference,
} from "../../upstream/trust/catalogue-differences.ts";
import { differenceLines } from "../../upstream/trust/difference.ts";
import { compareLocks, type LockFinding } from "../../upstream/trust/lock/compare-locks.ts";
import { lockOf } from "../../upstream/trust/lock/lock-of.ts";
import type { ProjectLock } from "../../upstream/trust/lock/project-lock.ts";
import { lockFileName, lockPinsOf, readLock } from "../../upstream/trust/lock/read-lock.ts";
import type { Command, CommandContext } from "../command.ts";
import { openServers, type ServersOfCommand } from "../configured-servers.ts";
import { itemLines, itemRow } from "../difference-text.ts";
import { exitCodeOf } from "../finding-exit-code.ts";
import { jsonFlag } from "../json-flag.ts";
import { askAll, projectOf } from "../lockable-servers.ts";
import { startUpFlags } from "../start-up.ts";

type Finding =
  | LockFinding
  | { readonly kind: "item"; readonly server: string; readonly item: ItemDifference }
  | { readonly kind: "unreachable"; readonly server: string; readonly reason: string };

export const mcpVerifyCommand: Command = {
  usage: "[--offline] [--json]",
  description:
    "Connects to all servers and says in what they differ from mcp.lock. With --offline: only how they are configured.\n" +
    "Ends with 0 when nothing differs, 10 when something was changed, 11 when something is missing or new, 12 when a\n" +
    "server cannot be reached.",
  flags: {
    offline: { kind: "switch", help: "Start and connect to nothing." },
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 0, max: 0 },
  async run(context) {
    const { args, print } = context;
    const view = await openServers(context);
    const lock = await lockOfProject(view);
    const findings = args.has("offline")
      ? compareOffline(view, lock)
      : await compareLive(context, view, lock);
    if (args.has("json")) print.json(findings.map(rowOf));
    else for (const line of findings.flatMap(linesOf)) print.line(line);
    if (findings.length === 0) print.note(`Everything is as ${lockFileName} says.`);
    return exitCodeOf(findings.map((one) => (one.kind === "item" ? one.item.state : one.kind)));
  },
};

/** @throws AppError `config` where there is no lock, or one that cannot be used */
async function lockOfProject(view: ServersOfCommand): Promise<ProjectLock> {
  const projectDir = projectOf(view);
  const reading = await readLock(projectDir);
  if (reading.kind === "lock") return reading.lock;
  if (reading.kind === "unusable") throw new AppError("config", reading.problem);
  throw new AppError(
    "config",
    `There is no ${lockFileName} in ${projectDir}. mcp lock writes one.`,
  );
}

/** Of a server that nobody asks; what a server says is not compared then. */
const unasked: ServerCatalogue = {
  era: "modern",
  protocolVersion: "",
  capabilities: {},
  tools: [],
  prompts: [],
  resources: [],
  templates: [],
  isPrivate: false,
  problems: [],
};

function compareOffline(view: ServersOfCommand, lock: ProjectLock): readonly Finding[] {
  const servers = view.servers.map(({ entry, identity }) => ({
    entry,
    identity,
    catalogue: unasked,
  }));
  return compareLocks(lock, lockOf(servers, { toolNameMax: toolNameMaxOf(view) }), "configured");
}

async function compareLive(
  context: CommandContext,
  view: ServersOfCommand,
  lock: ProjectLock,
): Promise<readonly Finding[]> {
  const { reached, unreachable } = await askAll(context, view);
  const silent = new Set(unreachable.map(({ name }) => name));
  const asked = { servers: new Map([...lock.servers].filter(([name]) => !silent.has(name))) };
  const present = lockOf(reached, { toolNameMax: toolNameMaxOf(view), before: lock });
  const findings: Finding[] = [...compareLocks(asked, present, "asked")];
  for (const { entry, identity, catalogue } of reached) {
    const pins = lockPinsOf({ kind: "lock", lock }, entry.name);
    if (pins === undefined) continue;
    const definitions = await view.store.definitionsOf(identity);
    const items = catalogueDifferences(catalogue, { pins, definitions });
    findings.push(...items.map((item) => ({ kind: "item" as const, server: entry.name, item })));
  }
  for (const { name, reason } of unreachable) {
    findings.push({ kind: "unreachable", server: name, reason });
  }
  return findings;
}

function toolNameMaxOf({ start }: ServersOfCommand): number {
  return start.config.settings.mcp.toolNameMax;
}

function rowOf(finding: Finding): unknown {
  if (finding.kind !== "item") return finding;
  const { state, ...row } = itemRow(finding.server, finding.item);
  return { kind: state, ...row };
}

function linesOf(finding: Finding): readonly string[] {
  const { server } = finding;
  switch (finding.kind) {
    case "item":
      return itemLines(server, finding.item);
    case "changed": {
      const lines = differenceLines(finding.differences).map((line) => `  ${line}`);
      return [`${server}: is not as ${lockFileName} has it`, ...lines];
    }
    case "missing":
      return [`${server}: is in ${lockFileName} only`];
    case "new":
      return [`${server}: is not in ${lockFileName}`];
    case "unreachable":
      return [`${server}: cannot be reached. ${finding.reason}`];
  }
}
