import { messageOf } from "../../../base/errors.ts";
import { policyCharsMax, policyPatternCharsMax, policyRulesMax } from "../../../base/limits.ts";
import { isObject } from "../../../base/values.ts";
import { parseOwner } from "./callers.ts";
import { createGlob, type Glob } from "./glob.ts";
import {
  type CommandMatch,
  isAboutTool,
  type OwnerMatch,
  type Policy,
  type PolicyDefault,
  type PolicyLevel,
  type PolicyProblem,
  type Rule,
  type RuleAction,
  ruleActions,
} from "./rule.ts";

/** A value of the file that cannot be used; `message` completes "the file: …". */
class Unusable extends Error {}

const everyTool = [createGlob("*")];

/** Reads the text of a policy file. Never throws: an unusable part becomes a problem of the tools that it concerns. */
export function parsePolicy(text: string, path: string, level: PolicyLevel): Policy {
  const rules: Rule[] = [];
  const defaults: PolicyDefault[] = [];
  const problems: PolicyProblem[] = [];
  const notes: string[] = [];
  const attempt = (tools: readonly Glob[], read: () => void): void => {
    try {
      read();
    } catch (error) {
      problems.push({ tools, message: `${path}: ${messageOf(error)}` });
    }
  };
  attempt(everyTool, () => {
    const file = readFile(text);
    for (const [index, value] of listOf(file.rules, "rules").entries()) {
      const name = `rule ${index + 1} of ${path}`;
      attempt(toolsOf(value), () => rules.push(readRule(value, name, level)));
    }
    for (const [tool, action] of Object.entries(objectOf(file.default ?? {}, "default"))) {
      const name = `the default for ${tool} of ${path}`;
      const tools = [createGlob(tool)];
      attempt(tools, () => defaults.push({ tools, action: actionOf(action, name), name }));
    }
  });
  if (level !== "project") return { rules, defaults, problems, notes };
  const tightens = ({ action, name }: { action: RuleAction; name: string }): boolean => {
    if (action === "allow")
      notes.push(`${name} is ignored: a project's file may only tighten, not allow.`);
    return action !== "allow";
  };
  return { rules: rules.filter(tightens), defaults: defaults.filter(tightens), problems, notes };
}

function readFile(text: string): Readonly<Record<string, unknown>> {
  if (text.length > policyCharsMax)
    throw new Unusable(`it is longer than ${policyCharsMax} characters`);
  const value: unknown = Bun.JSONC.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  const file = objectOf(value, "the file");
  assertKnown(file, ["rules", "default", "$schema"], "the file");
  return file;
}

/** The tools of a rule that may be broken elsewhere; all when they are unknown. */
function toolsOf(rule: unknown): readonly Glob[] {
  try {
    return toolPatterns(objectOf(rule, "it"), "it");
  } catch {
    return everyTool;
  }
}

function readRule(value: unknown, name: string, level: PolicyLevel): Rule {
  const rule = objectOf(value, name);
  assertKnown(rule, ruleKeys, name);
  const { reason } = rule;
  if (reason !== undefined && typeof reason !== "string")
    throw new Unusable(`${name}: reason must be text`);
  const tools = toolPatterns(rule, name);
  const action = actionOf(rule["action"], name);
  const match = readMatch(rule["match"], name);
  // `npm *` as text allows `npm x; rm -rf /` too.
  const isByText = match.callArguments.some(([key]) => key === "command");
  if (action === "allow" && isByText && tools.some((glob) => isAboutTool(glob, "BackgroundBash"))) {
    throw new Unusable(`${name}: a command is not allowed by its text; name its program instead`);
  }
  return { name, level, tools, ...readCallers(rule, name), action, reason, ...match };
}

const ruleKeys = ["tool", "server", "owner", "group", "match", "action", "reason"];

/** A rule for a server needs no tool: it is about all of its tools. */
function toolPatterns(rule: Readonly<Record<string, unknown>>, name: string): readonly Glob[] {
  if (rule["tool"] === undefined && rule["server"] !== undefined) return everyTool;
  return patternsOf(rule["tool"], `${name}: tool`);
}

/** Whose calls it is about, and of which servers. */
function readCallers(
  { server, owner, group }: Readonly<Record<string, unknown>>,
  name: string,
): Pick<Rule, "servers" | "owners" | "groups"> {
  return {
    ...(server !== undefined && { servers: patternsOf(server, `${name}: server`) }),
    ...(owner !== undefined && {
      owners: patternsOf(owner, `${name}: owner`).map(({ pattern }) => ownerOf(pattern, name)),
    }),
    ...(group !== undefined && { groups: patternsOf(group, `${name}: group`) }),
  };
}

function ownerOf(text: string, name: string): OwnerMatch {
  const owner = parseOwner(text);
  if (owner !== undefined) return owner;
  throw new Unusable(
    `${name}: owner must be the label of a token, or ISSUER|SUB of a signed one, not ${shown(text)}`,
  );
}

function readMatch(value: unknown, name: string): Pick<Rule, "command" | "callArguments"> {
  if (value === undefined) return { command: undefined, callArguments: [] };
  if (typeof value === "string") return { command: commandOf(value, name), callArguments: [] };
  const match = objectOf(value, `${name}: match`);
  assertKnown(match, ["program", "args", "has", "writes", "arguments"], `${name}: match`);
  const { arguments: given = {}, ...parts } = match;
  const callArguments = Object.entries(objectOf(given, `${name}: arguments`)).map(
    ([key, pattern]) => [key, globOf(pattern, `${name}: ${key}`)] as const,
  );
  const command = Object.fromEntries(
    Object.entries(parts).map(([key, patterns]) => [key, patternsOf(patterns, `${name}: ${key}`)]),
  ) as CommandMatch;
  if (Object.keys(parts).length === 0 && callArguments.length === 0) {
    throw new Unusable(`${name}: match is empty; leave it out for every call of the tool`);
  }
  return { command: Object.keys(parts).length > 0 ? command : undefined, callArguments };
}

/** `git push --force*`: the program and its first arguments. */
function commandOf(text: string, name: string): CommandMatch {
  const [program, ...args] = text
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => globOf(word, name));
  if (program === undefined) throw new Unusable(`${name}: match is empty`);
  return { program: [program], ...(args.length > 0 && { args }) };
}

function actionOf(value: unknown, name: string): RuleAction {
  const action = ruleActions.find((known) => known === value);
  if (action !== undefined) return action;
  throw new Unusable(
    `${name}: action must be one of ${ruleActions.join(", ")}, not ${shown(value)}`,
  );
}

/** One pattern or several. */
function patternsOf(value: unknown, name: string): readonly Glob[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (values.length === 0) throw new Unusable(`${name} is empty`);
  return values.map((pattern) => globOf(pattern, name));
}

function globOf(value: unknown, name: string): Glob {
  if (typeof value === "string" && value !== "" && value.length <= policyPatternCharsMax)
    return createGlob(value);
  throw new Unusable(
    `${name} must be text of 1 to ${policyPatternCharsMax} characters, not ${shown(value)}`,
  );
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Unusable(`${name} must be a list, not ${shown(value)}`);
  if (value.length > policyRulesMax)
    throw new Unusable(`${name} has more than ${policyRulesMax} elements`);
  return value;
}

function objectOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw new Unusable(`${name} must be an object, not ${shown(value)}`);
}

function assertKnown(
  object: Readonly<Record<string, unknown>>,
  known: readonly string[],
  name: string,
): void {
  const other = Object.keys(object).find((key) => !known.includes(key));
  if (other === undefined) return;
  throw new Unusable(`${name} has ${shown(other)}, not one of ${known.join(", ")}`);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 60);
}
