import { AppError } from "../../base/errors.ts";
import type { ConfiguredServer } from "../../upstream/config/server-entry.ts";
import {
  catalogueDifferences,
  type ItemDifference,
} from "../../upstream/trust/approve-differences.ts";
import {
  approveLaunchOf,
  launchLines,
  launchRow,
  revokeLaunchOf,
} from "../../upstream/trust/launch-approval.ts";
import { lockPinsOf, readLock } from "../../upstream/trust/lock/read-lock.ts";
import {
  type Approval,
  type ApprovalChoice,
  approveTools,
  createApproval,
  decideTool,
  itemLines,
  itemRow,
} from "../approve-tools.ts";
import { exitCodeOf, exitCodes, type FindingKind } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";
import {
  askCatalogues,
  enabledServer,
  openServers,
  type ServersOfCommand,
  trustOf,
} from "../configured-servers.ts";
import { jsonFlag, startUpFlags } from "../flags.ts";
import { installFlags, installServers } from "../store-servers.ts";

/** Shows the launch of a project's server and records the user's decision. False: nothing was approved. */
async function decideLaunch(approval: Approval, server: ConfiguredServer): Promise<boolean> {
  const { context, view, choice } = approval;
  const { entry, identity } = server;
  const { name } = entry;
  // Without a project there are no entries of one.
  const projectDir = view.config.projectDir ?? "";
  approval.servers.push({ name, file: entry.origin.file ?? null, ...launchRow(server) });
  if (choice === "revoke") {
    const isChanged = await revokeLaunchOf(server, projectDir, view.store);
    context.print.note(isChanged ? `${name}: no longer approved.` : `${name}: there was nothing.`);
    return true;
  }
  if (choice === "deny") {
    await view.store.denyLaunch(identity, projectDir);
    context.print.done(`${name}: denied; it is not started, and you are not asked again.`);
    return true;
  }
  if (!context.args.has("json")) {
    context.print.line(`${name}  (of the project, needs approval)`);
    for (const line of launchLines(server)) context.print.line(line);
  }
  if (!(await approval.confirm(`Let ${name} run in this project?`))) return false;
  await approveLaunchOf(server, projectDir, view.store);
  context.print.done(`${name}: approved.`);
  await installServers(context, view.start, [server]);
  return true;
}

export const mcpApproveCommand: Command = {
  usage: "[NAME | NAME/TOOL] [--all] [--yes] [--deny | --revoke]",
  description:
    "Shows the project's servers that need approval with the exact command of each, and asks. With the name of a server\n" +
    "that is already approved: its new and changed tools, prompts and instructions. With --all: both, for every server.\n" +
    "The packages (npx, uvx, docker, …) are fetched now. Running servers notice an approval within two seconds.\n" +
    "Exits with 4 when something stays unapproved.",
  flags: {
    all: {
      kind: "switch",
      help: "All servers, and their new and changed tools, prompts and instructions.",
    },
    yes: {
      kind: "switch",
      short: "y",
      help: "Approve what is shown without asking; needs a name or --all.",
    },
    deny: { kind: "switch", help: "Deny it: it is not used, and you are not asked again." },
    revoke: { kind: "switch", help: "Withdraw your decision." },
    ...installFlags,
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 0, max: 1 },
  needsPerson: true,
  async run(context) {
    const { args, io, print } = context;
    const choice = choiceOf(context);
    const approval = createApproval(context, await openServers(context), choice);
    const [target] = args.positionals;
    const isDone =
      target === undefined ? await decideAll(approval) : await decide(approval, target);
    const { servers, items } = approval;
    if (args.has("json")) print.json({ servers, items });
    if (isDone) return exitCodes.done;
    const remedy = io.stdinIsTerminal ? "" : " Read the list and run this again with --yes.";
    print.note(`Not everything was approved.${remedy}`);
    return exitCodes.needsApproval;
  },
};

/** @throws AppError `usage` */
function choiceOf({ args }: CommandContext): ApprovalChoice {
  const isNamed = args.positionals.length > 0;
  if (args.has("deny") && args.has("revoke")) {
    throw new AppError("usage", "--deny and --revoke cannot be given together.");
  }
  if (isNamed && args.has("all")) throw new AppError("usage", "Give a name or --all, not both.");
  const needsTarget = ["yes", "deny", "revoke"].find((flag) => args.has(flag));
  if (needsTarget !== undefined && !isNamed && !args.has("all")) {
    throw new AppError("usage", `--${needsTarget} needs the name of a server, or --all.`);
  }
  if (args.has("deny")) return "deny";
  return args.has("revoke") ? "revoke" : "approve";
}

async function decide(approval: Approval, target: string): Promise<boolean> {
  // A server's name has no slash; a tool's may.
  const [name = "", ...rest] = target.split("/");
  const server = enabledServer(approval.view, name);
  return await decideOne(approval, server, rest.length === 0 ? undefined : rest.join("/"));
}

async function decideAll(approval: Approval): Promise<boolean> {
  const { context, view, choice } = approval;
  const waiting: ConfiguredServer[] = [];
  const known: ConfiguredServer[] = [];
  for (const server of view.servers) {
    const state = await trustOf(server, view.start);
    const isMeant = choice === "approve" ? state === "pending" : state !== "user";
    if (isMeant) waiting.push(server);
    else if (state !== "denied") known.push(server);
  }
  let isDone = true;
  for (const server of waiting) if (!(await decideLaunch(approval, server))) isDone = false;
  if (choice === "approve" && context.args.has("all") && known.length > 0) {
    isDone = (await approveTools(approval, known)) && isDone;
  } else if (waiting.length === 0) {
    context.print.note("No server of the project needs approval.");
  }
  return isDone;
}

async function decideOne(
  approval: Approval,
  server: ConfiguredServer,
  tool: string | undefined,
): Promise<boolean> {
  const { context, view, choice } = approval;
  const { name } = server.entry;
  const state = await trustOf(server, view.start);
  const mayStart = state === "user" || state === "approved";
  if (tool !== undefined && choice !== "approve") return await decideTool(approval, server, tool);
  if (choice === "approve" && mayStart) return await approveTools(approval, [server], tool);
  if (tool !== undefined) {
    context.print.note(`${name} itself is not approved: mcp approve ${name}.`);
    return false;
  }
  if (state !== "user") return await decideLaunch(approval, server);
  throw new AppError(
    "usage",
    `${name} is your own entry and needs no approval: switch it off (enabled = false) or remove it.`,
  );
}

/** How one server differs from its approval. */
type ServerDifference =
  | { readonly kind: "differences"; readonly items: readonly ItemDifference[] }
  /** It has never been connected: the first connection approves its whole offer. */
  | { readonly kind: "unmet" }
  | { readonly kind: "unreachable"; readonly reason: string };

export const mcpDiffCommand: Command = {
  usage: "[NAME ...] [--json]",
  description:
    "Connects to the servers and shows how their tools, prompts and instructions differ from what you approved.\n" +
    "Exits with 0 when nothing differs, 10 when something changed, 11 when something is new or missing, 12 when a server\n" +
    "cannot be reached.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 0, max: Number.MAX_SAFE_INTEGER },
  needsPerson: false,
  async run(context) {
    const { args, print } = context;
    const view = await openServers(context);
    const servers =
      args.positionals.length === 0
        ? view.servers
        : args.positionals.map((name) => enabledServer(view, name));
    const differences = await differencesOf(context, view, servers);
    if (args.has("json")) print.json([...differences].flatMap(([name, one]) => rowsOf(name, one)));
    else for (const [name, one] of differences) printOne(context, name, one);
    return exitCodeOf([...differences.values()].flatMap(kindsOf));
  },
};

async function differencesOf(
  context: CommandContext,
  view: ServersOfCommand,
  servers: readonly ConfiguredServer[],
): Promise<ReadonlyMap<string, ServerDifference>> {
  const replies = await askCatalogues(context, view, servers, { asLastHeard: true });
  const { projectDir } = view.config;
  const lock = projectDir === undefined ? { kind: "absent" as const } : await readLock(projectDir);
  const differences = new Map<string, ServerDifference>();
  for (const { entry, identity } of servers) {
    const reply = replies.get(entry.name);
    const pins = (await view.store.pinsOf(identity)) ?? lockPinsOf(lock, entry.name);
    if (reply?.kind !== "catalogue") {
      differences.set(entry.name, { kind: "unreachable", reason: reply?.reason ?? "" });
    } else if (pins === undefined) {
      differences.set(entry.name, { kind: "unmet" });
    } else {
      const definitions = await view.store.definitionsOf(identity);
      const items = catalogueDifferences(reply.catalogue, { pins, definitions });
      differences.set(entry.name, { kind: "differences", items });
    }
  }
  return differences;
}

function printOne({ print }: CommandContext, name: string, one: ServerDifference): void {
  if (one.kind === "unmet") {
    print.note(`${name}: its first connection approves whatever it offers then.`);
  } else if (one.kind === "unreachable") {
    print.error(`${name}: ${one.reason}`);
  } else if (one.items.length === 0) {
    print.done(`${name}: as it was approved.`);
  } else {
    for (const item of one.items) for (const line of itemLines(name, item)) print.line(line);
    print.note(`${name}: to approve this, run: mcp approve ${name}`);
  }
}

function rowsOf(name: string, one: ServerDifference): readonly unknown[] {
  if (one.kind === "differences") return one.items.map((item) => itemRow(name, item));
  return one.kind === "unmet" ? [] : [{ server: name, state: "unreachable", reason: one.reason }];
}

function kindsOf(one: ServerDifference): readonly FindingKind[] {
  if (one.kind === "differences") return one.items.map(({ state }) => state);
  return one.kind === "unmet" ? [] : [one.kind];
}
