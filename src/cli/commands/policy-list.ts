import { existsSync } from "node:fs";

import { ownerText } from "../../calls/policy/rules/callers.ts";
import type { Glob } from "../../calls/policy/rules/glob.ts";
import type { CommandMatch, PolicyDefault, Rule } from "../../calls/policy/rules/rule.ts";
import { exitCodes } from "../command-io.ts";
import type { Command } from "../command.ts";
import { jsonFlag, startUpFlags } from "../flags.ts";
import { startUp } from "../start-up.ts";

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
  const { name, action, tools, match, reason, servers, owners, groups } = ruleEntry(rule);
  const shown = match === undefined ? "every call" : JSON.stringify(match);
  const whose = [
    ...(servers === undefined ? [] : [`server ${servers.join(", ")}`]),
    ...(owners === undefined ? [] : [`owner ${owners.join(", ")}`]),
    ...(groups === undefined ? [] : [`group ${groups.join(", ")}`]),
  ].map((part) => `  ${part}`);
  return `${action}  ${tools.join(", ")}${whose.join("")}  ${shown}  # ${name}${reason === undefined ? "" : `: ${reason}`}`;
}

function ruleEntry(rule: Rule): {
  name: string;
  action: string;
  tools: readonly string[];
  servers?: readonly string[];
  owners?: readonly string[];
  groups?: readonly string[];
  match: Readonly<Record<string, unknown>> | undefined;
  reason: string | undefined;
} {
  const { name, action, tools, reason, command, callArguments, servers, owners, groups } = rule;
  const given = Object.fromEntries(callArguments.map(([key, { pattern }]) => [key, pattern]));
  const hasGiven = callArguments.length > 0;
  const match =
    command === undefined && !hasGiven
      ? undefined
      : { ...commandEntry(command), ...(hasGiven && { arguments: given }) };
  return {
    name,
    action,
    tools: patternsOf(tools),
    ...(servers !== undefined && { servers: patternsOf(servers) }),
    ...(owners !== undefined && { owners: owners.map(ownerText) }),
    ...(groups !== undefined && { groups: patternsOf(groups) }),
    match,
    reason,
  };
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
