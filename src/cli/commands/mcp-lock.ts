import { join } from "node:path";
import { AppError, messageOf } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { escapeName } from "../../base/unsafe-characters.ts";
import { replaceFile } from "../../config/replace-file.ts";
import type { ConfiguredServer } from "../../upstream/config/server-entry.ts";
import type { ServerCatalogue } from "../../upstream/connect/connection.ts";
import {
  catalogueDifferences,
  type ItemDifference,
} from "../../upstream/trust/approve-differences.ts";
import { differenceLines } from "../../upstream/trust/approved-definition.ts";
import { compareLocks, type LockFinding, lockOf } from "../../upstream/trust/lock/lock-of.ts";
import {
  lockFileName,
  lockPinsOf,
  printLock,
  type ProjectLock,
  readLock,
} from "../../upstream/trust/lock/read-lock.ts";
import { itemLines, itemRow } from "../approve-tools.ts";
import { exitCodeOf, exitCodes } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";
import {
  askAll,
  isOfProject,
  openServers,
  projectOf,
  type ServersOfCommand,
} from "../configured-servers.ts";
import { jsonFlag, startUpFlags } from "../flags.ts";

/** A lock is readable for others: it is committed with the project. */
const lockFileMode = 0o644;

export const mcpLockCommand: Command = {
  usage: "[--all] [--json]",
  description:
    "Connects to the project's servers and writes mcp.lock in the project folder: how each is started, and a hash of\n" +
    "everything that it offers. From then on a server that does not match the file is stopped at its first connection.\n" +
    "Writes nothing when a server cannot be reached, or when there is none (exit code 3).",
  flags: {
    all: {
      kind: "switch",
      help: "Lock the servers of your own files too, not only the project's.",
    },
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 0, max: 0 },
  needsPerson: true,
  async run(context) {
    const { args, print } = context;
    const view = await openServers(context);
    const projectDir = projectOf(view);
    if (!view.config.isOn) {
      throw new AppError(
        "config",
        `MCP servers are disabled: ${lockFileName} would lose all entries, so it was not written.`,
      );
    }
    const servers = args.has("all") ? view.servers : view.servers.filter(isOfProject);
    if (servers.length === 0) throw nothingToLock(view);
    const reading = await readLock(projectDir);
    const before = reading.kind === "lock" ? reading.lock : undefined;
    const { reached, unreachable } = await askAll(context, view, servers);
    for (const { name, reason } of unreachable) print.error(`${name}: ${reason}`);
    if (unreachable.length > 0) {
      print.note(`${lockFileName} was not written: not all servers could be reached.`);
      return exitCodes.unreachable;
    }
    const lock = lockOf(reached, { toolNameMax: toolNameMaxOf(view), before });
    const isChanged = writeLock(projectDir, lock, before);
    const unpinned = [...lock.servers].flatMap(([name, { package: runs }]) =>
      runs === undefined || runs.version !== undefined ? [] : [{ name, runs: runs.name }],
    );
    if (args.has("json")) {
      const file = join(projectDir, lockFileName);
      print.json({ file, changed: isChanged, unpinned: unpinned.map(({ name }) => name) });
    } else print.done(`${lockFileName} ${isChanged ? "was written" : "is up to date"}.`);
    for (const { name, runs } of unpinned) {
      print.note(
        `${name}: no version of ${escapeName(runs)} is pinned; its next release will not match the lock. Pin a version.`,
      );
    }
    const dropped = [...(before?.servers.keys() ?? [])].filter((name) => !lock.servers.has(name));
    if (dropped.length > 0)
      print.note(`No longer in ${lockFileName}: ${dropped.map(escapeName).join(", ")}.`);
    return exitCodes.done;
  },
};

/** A lock without servers would claim a check that nobody made. */
function nothingToLock({ servers }: ServersOfCommand): AppError {
  const own =
    servers.length === 0 ? "" : ` ${product.name} mcp lock --all locks those of your own files.`;
  return new AppError(
    "not_found",
    `The project names no server: nothing to lock, and ${lockFileName} was not written.${own}`,
  );
}

/** False when the file is already up to date. @throws AppError `system` */
function writeLock(
  projectDir: string,
  lock: ProjectLock,
  before: ProjectLock | undefined,
): boolean {
  const text = printLock(lock);
  if (before !== undefined && printLock(before) === text) return false;
  const file = join(projectDir, lockFileName);
  try {
    replaceFile(file, text, lockFileMode);
    return true;
  } catch (error) {
    throw new AppError("system", `${file} cannot be written: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

type Finding =
  | LockFinding
  | { readonly kind: "item"; readonly server: string; readonly item: ItemDifference }
  | { readonly kind: "unreachable"; readonly server: string; readonly reason: string };

export const mcpVerifyCommand: Command = {
  usage: "[--offline] [--json]",
  description:
    "Connects to the project's servers, and to those in mcp.lock, and prints how they differ from the file. With --offline it\n" +
    "compares only their configuration. Exits with 0 when nothing differs, 10 when something changed, 11 when something is\n" +
    "missing or new, 12 when a server cannot be reached, 3 when there is nothing to verify.",
  flags: {
    offline: { kind: "switch", help: "Start no server and connect to none." },
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 0, max: 0 },
  needsPerson: false,
  async run(context) {
    const { args, print } = context;
    const view = await openServers(context);
    const lock = await lockOfProject(view);
    const servers = view.servers.filter(
      (server) => isOfProject(server) || lock.servers.has(server.entry.name),
    );
    if (servers.length === 0 && lock.servers.size === 0) {
      throw new AppError(
        "not_found",
        `Nothing to verify: ${lockFileName} names no server, and neither does the project.`,
      );
    }
    const findings = args.has("offline")
      ? compareOffline(view, lock, servers)
      : await compareLive(context, view, lock, servers);
    if (args.has("json")) print.json(findings.map(rowOf));
    else for (const line of findings.flatMap(linesOf)) print.line(line);
    if (findings.length === 0) print.done(`Everything matches ${lockFileName}.`);
    return exitCodeOf(findings.map((one) => (one.kind === "item" ? one.item.state : one.kind)));
  },
};

/** @throws AppError `not_found` where there is no lock, `config` for one that cannot be used */
async function lockOfProject(view: ServersOfCommand): Promise<ProjectLock> {
  const projectDir = projectOf(view);
  const reading = await readLock(projectDir);
  if (reading.kind === "lock") return reading.lock;
  if (reading.kind === "unusable") throw new AppError("config", reading.problem);
  throw new AppError(
    "not_found",
    `There is no ${lockFileName} in ${projectDir}. mcp lock writes one.`,
  );
}

/** For a server that is not contacted: its offer is not compared. */
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

function compareOffline(
  view: ServersOfCommand,
  lock: ProjectLock,
  servers: readonly ConfiguredServer[],
): readonly Finding[] {
  const present = servers.map(({ entry, identity }) => ({ entry, identity, catalogue: unasked }));
  return compareLocks(lock, lockOf(present, { toolNameMax: toolNameMaxOf(view) }), "configured");
}

async function compareLive(
  context: CommandContext,
  view: ServersOfCommand,
  lock: ProjectLock,
  servers: readonly ConfiguredServer[],
): Promise<readonly Finding[]> {
  const { reached, unreachable } = await askAll(context, view, servers);
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
