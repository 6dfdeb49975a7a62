import { AppError } from "../base/errors.ts";
import { suggestionFor } from "../config/nearest-name.ts";
import type { ConfiguredServer } from "../upstream/config/server-entry.ts";
import type { ServerCatalogue } from "../upstream/connect/connection.ts";
import { exposedName } from "../upstream/names/assign-names.ts";
import {
  approveDifferences,
  catalogueDifferences,
  denyTools,
  type ItemDifference,
  revokeTools,
} from "../upstream/trust/approve-differences.ts";
import { differenceLines } from "../upstream/trust/approved-definition.ts";
import { escapeHidden } from "../upstream/trust/hidden-characters.ts";
import { judgeCatalogue } from "../upstream/trust/judge-catalogue.ts";
import { lockPinsOf, readLock } from "../upstream/trust/lock/read-lock.ts";
import { ToolRules } from "../upstream/trust/tool-rules.ts";
import { emptyPins } from "../upstream/trust/trust-file.ts";
import type { NewPins } from "../upstream/trust/trust-store.ts";
import type { CommandContext } from "./command.ts";
import { askCatalogues, type ServersOfCommand } from "./configured-servers.ts";
import { createAsker } from "./terminal-io.ts";

/**
 * Shows how the servers' offers differ from the approved ones, and records the user's decision.
 * @param tool undefined: everything that the servers offer
 * @returns false when something stays as it is
 */
export async function approveTools(
  approval: Approval,
  servers: readonly ConfiguredServer[],
  tool?: string,
): Promise<boolean> {
  const { context, view } = approval;
  const replies = await askCatalogues(context, view, servers, { asLastHeard: true });
  let isDone = true;
  for (const server of servers) {
    const reply = replies.get(server.entry.name);
    if (reply?.kind !== "catalogue") {
      context.print.error(`${server.entry.name}: ${reply?.reason ?? "It was not contacted."}`);
      isDone = false;
      continue;
    }
    const waiting = await waitingItems(view, server, reply.catalogue, tool);
    if (!(await approveItems(approval, server, waiting, tool))) isDone = false;
  }
  return isDone;
}

interface Waiting {
  readonly items: readonly ItemDifference[];
  /** On the first connection everything is approved without a question. */
  readonly first?: NewPins | undefined;
}

/** @throws AppError `not_found` for a tool that the server does not have */
async function waitingItems(
  view: ServersOfCommand,
  server: ConfiguredServer,
  catalogue: ServerCatalogue,
  tool: string | undefined,
): Promise<Waiting> {
  const { entry, identity } = server;
  const names = catalogue.tools.map(({ name }) => name);
  if (tool !== undefined && !names.includes(tool)) {
    const what = `The server ${JSON.stringify(entry.name)} has no tool ${JSON.stringify(tool)}.`;
    throw new AppError("not_found", what + suggestionFor(tool, names));
  }
  const stored = await view.store.pinsOf(identity);
  const first = stored === undefined ? await metByLock(view, server, catalogue) : undefined;
  const pins = stored ?? (first === undefined ? undefined : { ...emptyPins, ...first });
  if (pins === undefined) return { items: [] };
  const definitions = await view.store.definitionsOf(identity);
  const items = catalogueDifferences(catalogue, { pins, definitions });
  if (tool === undefined) return { items, first };
  const one = items.filter(({ what, name }) => what === "tool" && name === tool);
  const isDenied = one.length === 0 && pins.denied.has(tool);
  return { items: isDenied ? [deniedItem(catalogue, tool)] : one, first };
}

/**
 * The items that a first connection approves if the project has a lock: those that match it (TR12). Undefined: there is no
 * lock, and the first connection will approve everything that it finds.
 */
async function metByLock(
  { config, start }: ServersOfCommand,
  { entry }: ConfiguredServer,
  catalogue: ServerCatalogue,
): Promise<NewPins | undefined> {
  const { projectDir } = config;
  const lock = projectDir === undefined ? { kind: "absent" as const } : await readLock(projectDir);
  const lockPins = lockPinsOf(lock, entry.name);
  if (lockPins === undefined) return undefined;
  const { newPins } = judgeCatalogue(catalogue, {
    server: entry.name,
    pins: undefined,
    lockPins,
    definitions: new Map(),
    autoApprove: entry.options.autoApprove,
    onChange: start.upstream.onChange,
    rules: new ToolRules(entry, config.rules),
    nameOf: (name) => exposedName(entry.name, name, start.config.settings.mcp.toolNameMax),
  });
  return newPins;
}

/** It is unchanged since its approval but was refused later: approving it withdraws the refusal. */
function deniedItem(catalogue: ServerCatalogue, tool: string): ItemDifference {
  const nothing = { tools: new Map(), prompts: new Map(), denied: new Set<string>() };
  const items = catalogueDifferences(catalogue, { pins: nothing, definitions: new Map() });
  const item = items.find(({ what, name }) => what === "tool" && name === tool);
  if (item === undefined)
    throw new AppError("not_found", `There is no tool ${JSON.stringify(tool)}.`);
  return item;
}

async function approveItems(
  approval: Approval,
  { entry, identity }: ConfiguredServer,
  { items, first }: Waiting,
  tool: string | undefined,
): Promise<boolean> {
  const { args, print } = approval.context;
  const { name } = entry;
  if (items.length === 0) {
    print.note(`${name}: nothing needs approval.`);
    return true;
  }
  approval.items.push(...items.map((item) => itemRow(name, item)));
  if (!args.has("json")) {
    for (const item of items) for (const line of itemLines(name, item)) print.line(line);
  }
  const what = items.length === 1 ? "this" : `these ${items.length} differences`;
  if (!(await approval.confirm(`Approve ${what} of ${name}?`))) return false;
  if (first !== undefined) await approval.view.store.addPins(identity, first);
  await approveDifferences(approval.view.store, identity, items, tool);
  print.done(`${name}: approved.`);
  return true;
}

/**
 * Refuses a tool by its name, or withdraws the decision. Needs no connection: a name is refused whatever tool it is.
 * @throws AppError `unsupported` when nothing of the server was approved so far
 */
export async function decideTool(
  { context, view, choice }: Approval,
  { entry, identity }: ConfiguredServer,
  tool: string,
): Promise<boolean> {
  const { name } = entry;
  const { store } = view;
  if ((await store.pinsOf(identity)) === undefined) {
    const instead = `deny = [${JSON.stringify(tool)}] in its entry, or MCP_DENY=${name}:${tool}`;
    throw new AppError(
      "unsupported",
      `${name} has never been connected, so none of its tools are approved yet. To deny the tool from the start, write ${instead}.`,
    );
  }
  if (choice === "deny") await denyTools(store, identity, [tool]);
  else await revokeTools(store, identity, [tool]);
  const then = choice === "deny" ? "denied" : "needs approval again";
  context.print.done(`${name}/${tool}: ${then}.`);
  return true;
}

export type ApprovalChoice = "approve" | "deny" | "revoke";

/** One run of `mcp approve`. */
export interface Approval {
  readonly context: CommandContext;
  readonly view: ServersOfCommand;
  readonly choice: ApprovalChoice;
  /** Asks the person at the terminal to approve the printed text; with `--yes` it is approved. */
  readonly confirm: (question: string) => Promise<boolean>;
  /** The data that `--json` prints at the end. */
  readonly servers: unknown[];
  readonly items: unknown[];
}

export function createApproval(
  context: CommandContext,
  view: ServersOfCommand,
  choice: ApprovalChoice,
): Approval {
  const { args, io } = context;
  const ask = createAsker(io);
  // With --json nothing has been shown when the question would come.
  const mayAsk = io.stdinIsTerminal && !args.has("json");
  return {
    context,
    view,
    choice,
    confirm: async (question) => args.has("yes") || (mayAsk && (await ask(question))),
    servers: [],
    items: [],
  };
}

/** For people; every text is escaped. */
export function itemLines(server: string, item: ItemDifference): readonly string[] {
  const { state, hasHidden, differences } = item;
  const hidden = hasHidden ? ", with hidden characters" : "";
  const lines = differenceLines(differences).map((line) => `  ${line}`);
  const isUnknown = state === "changed" && differences.length === 0;
  return [
    `${server}: ${titleOf(item)} ${stateTexts[state]}${hidden}`,
    ...lines,
    ...(isUnknown ? ["  The approved text is no longer stored; this is the current one:"] : []),
    ...(isUnknown ? presentLines(item) : []),
  ];
}

/** As data: stable names, definitions left out. */
export function itemRow(server: string, item: ItemDifference): Readonly<Record<string, unknown>> {
  const { what, name, state, hasHidden, differences } = item;
  return { server, what, name, state, hidden: hasHidden, differences };
}

function titleOf({ what, name }: ItemDifference): string {
  return what === "instructions" ? what : `${what} ${escapeHidden(JSON.stringify(name))}`;
}

const stateTexts = {
  changed: "was changed",
  new: "is new",
  missing: "is no longer offered",
} as const;

function presentLines({ present }: ItemDifference): readonly string[] {
  const text = JSON.stringify(present?.definition ?? {}, undefined, 2);
  return text.split("\n").map((line) => `  ${escapeHidden(line)}`);
}
