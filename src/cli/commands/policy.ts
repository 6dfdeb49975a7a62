import { existsSync } from "node:fs";

import { AppError } from "../../base/errors.ts";
import { commandTools } from "../../base/command-tools.ts";
import type { Glob } from "../../calls/policy/rules/glob.ts";
import type {
  CommandMatch,
  JudgedCall,
  PolicyDefault,
  Rule,
  RuleAction,
  Verdict,
} from "../../calls/policy/rules/rule.ts";
import type { ShellReading, SimpleCommand } from "../../calls/policy/shell/shell-text.ts";
import { nearestNames } from "../../config/nearest-name.ts";
import { nameStarts } from "../../upstream/catalogue/name-table.ts";
import { loadUpstreamConfig } from "../../upstream/config/load-upstream-config.ts";
import type { ConfiguredServer } from "../../upstream/config/server-entry.ts";
import { configPartsOf } from "../../upstream/config/upstream-start.ts";
import { exitCodes, type Printer } from "../command-io.ts";
import type { Command } from "../command.ts";
import { jsonFlag, startUpFlags } from "../flags.ts";
import { startUp } from "../start-up.ts";

const codes: Readonly<Record<RuleAction, number>> = {
  allow: exitCodes.done,
  deny: exitCodes.failed,
  ask: exitCodes.needsApproval,
};

export const policyCheckCommand: Command = {
  usage: "'<command>' [--tool NAME] [--json]",
  description:
    "Prints what the rules would do with a command, and why. Runs nothing. With --tool it checks a call of another tool: its\n" +
    "arguments as JSON instead of the command. Exits with 0 when allowed, 1 when denied, 4 when the user would be asked,\n" +
    "3 when there is no such tool.",
  flags: {
    tool: { kind: "text", placeholder: "NAME", help: "The tool that is called. Default: Bash." },
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 1, max: 1 },
  needsPerson: false,
  async run({ args, io, print, services }) {
    const start = startUp(args, io, print);
    const [written = ""] = args.positionals;
    const { createJudge } = await import("../create-judge.ts");
    const judge = createJudge(start, io, (message) => print.warning(message));
    const tool = args.text("tool") ?? "Bash";
    checkTool(tool, services.toolNames, loadUpstreamConfig(configPartsOf(start, io.env)).servers);
    const call = callOf(tool, written);
    const { verdict, reading } = await judge(call);
    if (args.has("json")) print.json({ ...call, ...verdict, ...(reading && describe(reading)) });
    else printVerdict(verdict, reading, print);
    return codes[verdict.action];
  },
};

/** The tools in front of the upstream tools; rules apply to them as well. */
const gatewayTools = ["tool_search", "tool_call"];

/**
 * A rule for a tool that does not exist allows everything. The tools of an upstream server are unknown without connecting:
 * there the server's name is enough.
 * @throws AppError `not_found`
 */
function checkTool(
  tool: string,
  ownTools: readonly string[],
  servers: ReadonlyMap<string, ConfiguredServer>,
): void {
  const own = [...ownTools, ...gatewayTools];
  const starts = [...servers.values()].flatMap(({ entry }) =>
    nameStarts(entry.name, entry.options.toolsPrefix),
  );
  if (own.includes(tool) || starts.some((start) => tool.startsWith(start))) return;
  const nearest = nearestNames(
    tool,
    [...own, ...[...servers.keys()].map((name) => `mcp__${name}__`)],
    5,
  );
  const hint =
    nearest.length === 0 ? `There are: ${own.join(", ")}` : `Did you mean ${nearest.join(", ")}?`;
  throw new AppError("not_found", `There is no tool ${tool.slice(0, 100)}. ${hint}`);
}

function callOf(tool: string, written: string): JudgedCall {
  if (commandTools.has(tool)) return { tool, args: { command: written } };
  try {
    return { tool, args: JSON.parse(written) as unknown };
  } catch (error) {
    const message = `The arguments of ${tool} are not JSON: ${written.slice(0, 100)}`;
    throw new AppError("usage", message, { cause: error });
  }
}

function describe({ commands, unknowns }: ShellReading): {
  programs: string[];
  unknowns: readonly string[];
} {
  return { programs: commands.filter(({ words }) => words.length > 0).map(textOf), unknowns };
}

/** The known words; `…` stands for the unknown ones. */
function textOf({ words }: SimpleCommand): string {
  return words.map(({ pieces }) => pieces.join("…")).join(" ");
}

function printVerdict(
  { action, rule, reason }: Verdict,
  reading: ShellReading | undefined,
  print: Printer,
): void {
  const why = [rule, reason].filter((text) => text !== undefined).join(": ");
  print.row(why === "" ? action : `${action}: ${why}`);
  if (reading === undefined) return;
  const { programs, unknowns } = describe(reading);
  for (const program of programs) print.row(`  runs ${program}`);
  for (const unknown of unknowns) print.row(`  not known: ${unknown}`);
}

export const policyListCommand: Command = {
  usage: "[--json]",
  description:
    "Lists the rules in effect, the files that they come from, and the errors in those files. Exits with 1 when a file is broken.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 0, max: 0 },
  needsPerson: false,
  async run({ args, io, print }) {
    const { dirs, config } = startUp(args, io, print);
    const { merged, policyPlaces, readPolicy } =
      await import("../../calls/policy/rules/policy-files.ts");
    const places = policyPlaces(dirs, process.platform);
    const { rules, defaults, problems, notes } = merged(places.map(readPolicy));
    const { cautions } = config.settings.policy;
    if (args.has("json")) {
      print.json({
        files: places,
        cautions,
        rules: rules.map(ruleEntry),
        defaults: defaults.map(defaultEntry),
        problems: problems.map(({ message }) => message),
        notes,
      });
    } else {
      for (const { level, path } of places) {
        print.row(`# ${level}: ${path}${existsSync(path) ? "" : " (none)"}`);
      }
      for (const rule of rules) print.row(ruleLine(rule));
      for (const { action, tools } of defaults)
        print.row(`${action}  ${textOfGlobs(tools)}  by default`);
      print.line(`# built-in cautions: ${cautions ? "on" : "off"}`);
      for (const { message } of problems) print.error(message);
      for (const note of notes) print.warning(note);
    }
    return problems.length > 0 ? exitCodes.failed : exitCodes.done;
  },
};

function ruleLine(rule: Rule): string {
  const { name, action, tools, match, reason } = ruleEntry(rule);
  const shown = match === undefined ? "every call" : JSON.stringify(match);
  return `${action}  ${tools.join(", ")}  ${shown}  # ${name}${reason === undefined ? "" : `: ${reason}`}`;
}

function ruleEntry({ name, action, tools, reason, command, callArguments }: Rule): {
  name: string;
  action: string;
  tools: readonly string[];
  match: Readonly<Record<string, unknown>> | undefined;
  reason: string | undefined;
} {
  const given = Object.fromEntries(callArguments.map(([key, { pattern }]) => [key, pattern]));
  const hasGiven = callArguments.length > 0;
  const match =
    command === undefined && !hasGiven
      ? undefined
      : { ...commandEntry(command), ...(hasGiven && { arguments: given }) };
  return { name, action, tools: patternsOf(tools), match, reason };
}

function commandEntry(
  command: CommandMatch | undefined,
): Readonly<Record<string, readonly string[]>> {
  const given: Readonly<Record<string, readonly Glob[]>> = { ...command };
  const parts = Object.entries(given);
  return Object.fromEntries(parts.map(([key, globs]) => [key, patternsOf(globs)]));
}

function defaultEntry({ tools, action, name }: PolicyDefault): Readonly<Record<string, unknown>> {
  return { name, action, tools: patternsOf(tools) };
}

function patternsOf(globs: readonly Glob[]): readonly string[] {
  return globs.map(({ pattern }) => pattern);
}

function textOfGlobs(globs: readonly Glob[]): string {
  return patternsOf(globs).join(", ");
}
