import { AppError } from "../../base/errors.ts";
import { commandTools } from "../../base/tool-kinds.ts";
import type { Person } from "../../base/person.ts";
import { parseOwner } from "../../calls/policy/rules/callers.ts";
import type { JudgedCall, RuleAction, Verdict } from "../../calls/policy/rules/rule.ts";
import type { ShellReading, SimpleCommand } from "../../calls/policy/shell/shell-text.ts";
import { nearestNames } from "../../config/nearest-name.ts";
import { nameStarts } from "../../upstream/catalogue/name-table.ts";
import { loadUpstreamConfig } from "../../upstream/config/load-upstream-config.ts";
import type { ConfiguredServer } from "../../upstream/config/server-entry.ts";
import { configPartsOf } from "../../upstream/config/upstream-start.ts";
import { exitCodes, type ParsedArguments, type Printer } from "../command-io.ts";
import type { Command } from "../command.ts";
import { jsonFlag, startUpFlags } from "../flags.ts";
import { startUp } from "../start-up.ts";

const codes: Readonly<Record<RuleAction, number>> = {
  allow: exitCodes.done,
  deny: exitCodes.failed,
  ask: exitCodes.needsApproval,
};

export const policyCheckCommand: Command = {
  usage: "'<command>' [--tool NAME] [--owner WHO] [--group NAME ...] [--json]",
  description:
    "Prints what the rules would do with a command, and why. Runs nothing. With --tool it checks a call of another tool: its\n" +
    "arguments as JSON instead of the command. --owner and --group say whose call it is, for rules by person. Exits with 0 when allowed, 1 when denied, 4 when the user would be asked,\n" +
    "3 when there is no such tool.",
  flags: {
    tool: { kind: "text", placeholder: "NAME", help: "The tool that is called. Default: Bash." },
    owner: {
      kind: "text",
      placeholder: "WHO",
      help: "The caller: the label of a token, or ISSUER|SUB of a signed one. Default: nobody that rules could name.",
    },
    group: {
      kind: "list",
      placeholder: "NAME",
      help: "A group that the caller is in. May be repeated.",
    },
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
    const { servers } = loadUpstreamConfig(configPartsOf(start, io.env));
    checkTool(tool, services.toolNames, servers);
    const person = personOf(args);
    const call = {
      ...callOf(tool, written),
      ...upstreamOf(tool, servers),
      ...(person !== undefined && { person }),
    };
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

/** @throws AppError `usage` for an owner that no token can have */
function personOf(args: ParsedArguments): Person | undefined {
  const [written, groups] = [args.text("owner"), args.list("group")];
  if (written === undefined && groups.length === 0) return undefined;
  const given = { ...(groups.length > 0 && { groups }) };
  if (written === undefined) return given;
  // As the audit log has it.
  const owner = parseOwner(written.replace(/^(?:token|jwt):/, ""));
  if (owner?.kind === "label") return { label: owner.label.pattern, ...given };
  if (owner?.kind === "subject") return { issuer: owner.issuer, sub: owner.sub.pattern, ...given };
  const text = `--owner ${written} is neither the label of a token nor ISSUER|SUB, such as https://id.example.com|alice.`;
  throw new AppError("usage", text);
}

/** The server of a tool by the longest name that it begins with, and the rest, which mostly is its name there. */
function upstreamOf(
  tool: string,
  servers: ReadonlyMap<string, ConfiguredServer>,
): Pick<JudgedCall, "upstream" | "otherNames"> {
  const [found] = [...servers.values()]
    .flatMap(({ entry: { name, options } }) =>
      nameStarts(name, options.toolsPrefix).map((start) => ({ server: name, start })),
    )
    .filter(({ start }) => tool.startsWith(start))
    .toSorted((one, other) => other.start.length - one.start.length);
  if (found === undefined) return {};
  const { server, start } = found;
  return { upstream: { server, tool: tool.slice(start.length) }, otherNames: [`mcp__${server}`] };
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
