import { formatDuration } from "../../base/cut-text.ts";
import { AppError, messageOf } from "../../base/errors.ts";
import { exitCodes } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { clientManners, usualManner } from "../doctor/client-manners.ts";
import { clientFindings } from "../doctor/clients.ts";
import { type Area, areas, fileRemedy, type Finding, fault } from "../doctor/finding.ts";
import {
  browserFindings,
  diskFindings,
  proxyFindings,
  sandboxFindings,
  searchFindings,
} from "../doctor/machine.ts";
import { httpFindings, tokenFindings } from "../doctor/http.ts";
import { hubFindings } from "../doctor/hub.ts";
import { folderFindings, programFindings } from "../doctor/program.ts";
import { serverFindings } from "../doctor/servers.ts";
import { attemptIn, entryTrials, launchAs } from "../doctor/launches.ts";
import { startFindings } from "../doctor/start.ts";
import { directoryFlags, jsonFlag, startUpFlags } from "../flags.ts";
import { withProgress } from "../progress.ts";
import { readStartUp, type StartUp } from "../start-up.ts";
import { createAsker } from "../terminal-io.ts";
import { wrap } from "../wrap.ts";

export const doctorCommand: Command = {
  usage: "[--as CLIENT] [--fix] [--json] [FLAGS]",
  description:
    "Examines everything: the program, configuration, clients, a start as a client makes one, your MCP servers, the hub,\n" +
    "browser, proxy, sandbox and disk. Each fault has one remedy. Starts the MCP servers that may be started; asks no search engine.\n" +
    "Exits with 1 when there is a fault.",
  examples: ["doctor", "doctor --as claude-desktop", "doctor --fix"],
  flags: {
    as: {
      kind: "text",
      placeholder: "CLIENT",
      choices: clientManners.map(({ id }) => id),
      help: "Start the program in the environment and with the limits of this client.",
    },
    fix: { kind: "switch", help: "Carry out the harmless remedies, after showing them." },
    yes: { kind: "switch", short: "y", help: "With --fix: do not ask." },
    ...jsonFlag,
    ...startUpFlags,
    ...directoryFlags,
  },
  arguments: { min: 0, max: 0 },
  // Looking is for everybody; --fix asks for a person itself.
  needsPerson: false,
  async run(context) {
    const { args, print } = context;
    const start = readStartUp(args, context.io);
    const findings: Finding[] = [];
    for await (const found of examined(context, start)) {
      findings.push(...found);
      if (!args.has("json")) for (const one of found) printFinding(one, context);
    }
    const fixed = args.has("fix") ? await fixFindings(context, findings) : [];
    const left = findings.filter((one) => one.state === "fault" && !fixed.includes(one));
    if (args.has("json")) print.json({ findings: findings.map((one) => jsonOf(one, fixed)) });
    else if (left.length === 0) print.done(summaryOf(left, findings));
    else print.note(summaryOf(left, findings));
    return left.length > 0 ? exitCodes.failed : exitCodes.done;
  },
};

/** The findings area by area, as they come: servers and sandboxes take a while. */
async function* examined(
  context: CommandContext,
  start: StartUp,
): AsyncGenerator<readonly Finding[]> {
  const { args, io, services } = context;
  const { dirs, config } = start;
  const client = args.text("as");
  const manner = clientManners.find(({ id }) => id === client) ?? usualManner;
  const machine = { dirs, env: io.env, platform: process.platform };
  const launch = launchAs(manner, machine, context);
  const parts: readonly (readonly [Area, () => Findings | Promise<Findings>])[] = [
    ["program", () => programFindings(context)],
    ["configuration", () => folderFindings(dirs.homeDir, dirs.scorpioxDir)],
    ["configuration", () => config.problems.map(({ message }) => problemFinding(message))],
    ["configuration", () => httpFindings(io, dirs.scorpioxDir)],
    ["configuration", () => tokenFindings(dirs.scorpioxDir)],
    ["clients", () => clientFindings(machine, services.ownCommand, client, dirs.scorpioxDir)],
    ["clients", () => entryTrials(machine, context)],
    ["start", () => startFindings(manner, launch, attemptIn(context, manner))],
    ["servers", () => serverFindings(context, start)],
    ["hub", () => hubFindings(context, start)],
    ["browser", () => browserFindings(context, start)],
    ["search", () => searchFindings()],
    ["network", () => proxyFindings(io.env, client === undefined ? io.env : launch.env)],
    ["sandbox", () => sandboxFindings(context, start)],
    ["disk", () => diskFindings(start)],
  ];
  for (const [area, examine] of parts) {
    const begin = performance.now();
    yield await withProgress(
      context,
      () => `Examining ${area}`,
      () => withoutThrowing(area, examine),
    );
    context.print.detail(`${area}: ${formatDuration(performance.now() - begin)}`);
  }
}

type Findings = readonly Finding[];

/** An examination that fails is a finding: it must not hide the others. */
async function withoutThrowing(
  area: Area,
  examine: () => Findings | Promise<Findings>,
): Promise<Findings> {
  try {
    return await examine();
  } catch (error) {
    return [
      fault(area, `cannot be examined: ${messageOf(error)}`, "repair the faults above first"),
    ];
  }
}

function problemFinding(message: string): Finding {
  return fault(
    "configuration",
    message.replace(/\.$/, ""),
    fileRemedy(message, "correct the file or the variable that it names"),
  );
}

const marks = { ok: "good", note: "attention", fault: "bad" } as const;

/** Width below which texts begin at the left. */
const narrow = 60;

function printFinding({ area, state, text, remedy }: Finding, { io, print }: CommandContext): void {
  const { columns = Number.POSITIVE_INFINITY } = io.stdout;
  const indent = " ".repeat(columns < narrow ? 4 : 17);
  const [first = "", ...rest] = wrap(`${area.padEnd(13)}  ${text}`, columns - 2, indent.slice(2));
  print.marked(marks[state], first);
  for (const line of rest) print.line(`  ${line}`);
  const arrow = print.look.isDrawn ? "→" : "->";
  // A command is not broken: it is there to be copied.
  if (remedy !== undefined) print.line(`${indent}${arrow} ${remedy}`);
}

function summaryOf(left: readonly Finding[], all: readonly Finding[]): string {
  const looked = new Set(all.map(({ area }) => area)).size;
  const of = `${looked} of ${areas.length} parts were examined`;
  if (left.length === 0) return `No fault. ${of}.`;
  return `${left.length} ${left.length === 1 ? "fault" : "faults"}. ${of}.`;
}

/** Fixes findings. @returns those that were fixed */
async function fixFindings(
  { args, io, print }: CommandContext,
  findings: readonly Finding[],
): Promise<readonly Finding[]> {
  if ((await io.startedByServer?.()) !== undefined) {
    const message = "doctor --fix is for a person in a terminal of their own. Nothing was fixed.";
    throw new AppError("refused", message);
  }
  const fixable = findings.filter(({ fix }) => fix !== undefined);
  if (fixable.length === 0) return [];
  if (!args.has("yes")) {
    if (!io.stdinIsTerminal || args.has("json")) {
      throw new AppError("usage", "Nothing was fixed. To fix without a terminal, add --yes.");
    }
    for (const { remedy = "" } of fixable) print.note(`would run: ${remedy}`);
    if (!(await createAsker(io)("Run these remedies?"))) return [];
  }
  const fixed: Finding[] = [];
  for (const finding of fixable) {
    const { fix, remedy = "" } = finding;
    try {
      await fix?.();
      fixed.push(finding);
      if (!args.has("json")) print.done(`done: ${remedy}`);
    } catch (error) {
      print.warning(`not done: ${remedy} (${messageOf(error)})`);
    }
  }
  return fixed;
}

function jsonOf(finding: Finding, fixed: readonly Finding[]): object {
  const { area, state, text, remedy, facts } = finding;
  const isFixed = fixed.includes(finding);
  return {
    area,
    state,
    text,
    remedy: remedy ?? null,
    fixed: isFixed,
    ...(facts !== undefined && { facts }),
  };
}
