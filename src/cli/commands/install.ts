import { existsSync } from "node:fs";

import { AppError } from "../../base/errors.ts";
import { type FileChange, planChange, withKeptMembers } from "../../install/file-change.ts";
import {
  clientNamed,
  type ClientFile,
  editableClients,
  fileOfClient,
} from "../../install/find-client.ts";
import { type Entry, entryName, launchWords } from "../../install/install-targets.ts";
import { entriesIn, type PlannedMove } from "../../install/move-servers.ts";
import { planMove } from "../../install/plan-move.ts";
import { planUninstall } from "../../install/plan-undo.ts";
import { checkWritable } from "../../install/write-client-file.ts";
import { carryOut, type ClientPlan, type ClientSession, settleEarlier } from "../client-changes.ts";
import { changeFlags, openSession, planned, type PlannedPart } from "../client-session.ts";
import { exitCodes } from "../command-io.ts";
import type { Command } from "../command.ts";
import type { FlagTable } from "../flags.ts";

const clientIds = editableClients.map(({ id }) => id).join(", ");

const scopeFlag: FlagTable = {
  scope: {
    kind: "text",
    short: "s",
    choices: ["user", "project"],
    oldChoices: { global: "user", local: "project" },
    help: "The client's file of the user (the default) or of the project.",
  },
};

export const installCommand: Command = {
  usage: "[CLIENT...] [--scope user|project] [--move] [--yes|--dry-run] [FLAGS]",
  description:
    "Connects clients: adds scorpiox-code to the configuration of each client that is named, or of all that are found\n" +
    "here. Shows the changes and asks first; undo takes them back. Clients:\n" +
    clientIds,
  examples: ["install", "install cursor zed --dry-run", "install claude-desktop --move"],
  flags: {
    ...scopeFlag,
    move: {
      kind: "switch",
      help: "Move the client's MCP servers to ~/.scorpiox/config.toml and switch them off in the client.",
    },
    create: { kind: "switch", help: "Create the file of a client of which there is no sign here." },
    ...changeFlags,
  },
  arguments: { min: 0, max: editableClients.length },
  needsPerson: true,
  async run(context) {
    const session = openSession(context, true);
    if (context.args.has("move") && session.scope === "project") {
      throw new AppError(
        "usage",
        "--move takes servers of the user only. Use mcp import for a project's.",
      );
    }
    const places = filesOf(session);
    await settleEarlier(session);
    const plans: ClientPlan[] = [];
    for (const place of places)
      plans.push(await planned(place, () => installation(session, place)));
    return carryOut(session, plans);
  },
};

export const uninstallCommand: Command = {
  usage: "[CLIENT...] [--scope user|project] [--yes|--dry-run] [FLAGS]",
  description:
    "Removes scorpiox-code from the configuration of each client that is named, or of all that have it.\n" +
    "A file that is as install left it gets back every byte. Servers that install has moved come back with undo.",
  flags: { ...scopeFlag, ...changeFlags },
  arguments: { min: 0, max: editableClients.length },
  needsPerson: true,
  async run(context) {
    const session = openSession(context);
    const places = filesOf(session);
    await settleEarlier(session);
    const plans: ClientPlan[] = [];
    for (const place of places) plans.push(await planned(place, () => removal(session, place)));
    const isAll = context.args.positionals.length === 0;
    const wanted = isAll ? plans.filter(({ change, fault }) => change ?? fault) : plans;
    if (wanted.length === 0) {
      context.print.note(`No client here has the entry ${entryName}.`);
      if (!context.args.has("json")) return exitCodes.done;
    }
    return carryOut(session, wanted);
  },
};

/** The files of the clients that are named, or of all that are here. @throws {AppError} `not_found` */
function filesOf(session: ClientSession): readonly ClientFile[] {
  const { context, machine, scope, isInstall } = session;
  const { args } = context;
  if (args.positionals.length === 0) {
    const found = editableClients
      .flatMap((client) => fileOfClient(client, scope, machine) ?? [])
      .filter(({ isThere }) => isThere);
    // Editors of one family share the file of a project.
    const distinct = new Map(found.map((place) => [place.file, place]));
    if (distinct.size > 0 || !isInstall) return [...distinct.values()];
    throw new AppError("not_found", `No client was found. Name one, with --create: ${clientIds}`);
  }
  return args.positionals.map((word) => {
    const client = clientNamed(word);
    const place = fileOfClient(client, scope, machine);
    if (place === undefined) {
      const other = scope === "user" ? "project" : "user";
      const message = `${client.title} has no file of the ${scope}. Use --scope ${other}.`;
      throw new AppError("usage", message);
    }
    if (place.isThere || !isInstall || args.has("create")) return place;
    const places = place.searched.map((file) => `\n  ${file}`).join("");
    throw new AppError(
      "not_found",
      `There is no sign of ${client.title} here. To create its file all the same, add --create. Searched:${places}`,
    );
  });
}

function removal(session: ClientSession, { client, file }: ClientFile): PlannedPart {
  // A link that leads nowhere has no entry either.
  if (!existsSync(file)) return {};
  const change = planUninstall(client, file, session.log);
  if (change === undefined) return {};
  checkWritable(file);
  const moved = stillMoved(session, file);
  if (moved.length > 0) {
    const [it, stays] = moved.length === 1 ? ["it", "stays"] : ["them", "stay"];
    session.context.print.warning(
      `${client.title}: ${moved.join(", ")} ${stays} in ${session.moveTarget.target.file}, where install --move has put ${it}. To give ${it} back to the client, run undo ${client.id} until it has ${it}.`,
    );
  }
  return { change: within(session, change) };
}

/** Servers of that file that were moved here, and are here. */
function stillMoved({ log, moveTarget }: ClientSession, file: string): readonly string[] {
  const moved = log
    .records()
    .flatMap((record) => (record.file === file ? (record.moved?.servers ?? []) : []));
  if (moved.length === 0) return [];
  try {
    const here = entriesIn(moveTarget.target.file);
    return moved.filter((name) => here.has(name));
  } catch (error) {
    // The fault is in scorpiox-code's own file: the client's entry can go.
    if (error instanceof AppError) return moved;
    throw error;
  }
}

async function installation(session: ClientSession, place: ClientFile): Promise<PlannedPart> {
  const { context, moveTarget } = session;
  const { client, file } = place;
  const words = launchWords(client, context.services.ownCommand);
  const move = context.args.has("move") ? await planMove(place, moveTarget) : undefined;
  const wanted = new Map<string, Entry | undefined>([
    ...(move?.wanted ?? []),
    [entryName, withKeptMembers(client, file, client.entry(words, entryName))],
  ]);
  const change = planChange("install", client, file, wanted);
  if (change !== undefined) checkWritable(file);
  return {
    change: within(session, change),
    ...moving(move),
  };
}

/** A project's file stays in the project. */
function within(
  { scope, machine }: ClientSession,
  change: FileChange | undefined,
): FileChange | undefined {
  const insideDir = scope === "project" ? machine.dirs.projectDir : undefined;
  return change === undefined || insideDir === undefined ? change : { ...change, insideDir };
}

function moving(move: PlannedMove | undefined): Pick<ClientPlan, "move"> {
  return move === undefined ? {} : { move };
}
