import { callKindsMax, policyWorkMax } from "../../../base/limits.ts";
import { commandTools } from "../../../base/tool-kinds.ts";
import { cautionRule, gravityOf } from "./cautions.ts";
import type { Person } from "../../../base/person.ts";
import { createGlob, type Glob, globMatches, isPathGlob } from "./glob.ts";

export const ruleActions = ["allow", "ask", "deny"] as const;
export type RuleAction = (typeof ruleActions)[number];

/** Whose file a rule is from. A project is other people's text: it may only tighten. */
export type PolicyLevel = "managed" | "user" | "project";

/** Conditions on a command; all that are given must hold. */
export interface CommandMatch {
  /** One of these is its program: by name, or by path where the pattern has a slash. */
  readonly program?: readonly Glob[];
  /** Its first arguments, in this order. */
  readonly args?: readonly Glob[];
  /** Each of these is somewhere among its arguments. */
  readonly has?: readonly Glob[];
  /** One of these is a file that its redirections write. */
  readonly writes?: readonly Glob[];
}

/** Whom a rule is about, by one of its `owner` texts. */
export type OwnerMatch =
  /** The holder of a static token. */
  | { readonly kind: "label"; readonly label: Glob }
  /** A person of an authorization server, whose issuer is this very text. */
  | { readonly kind: "subject"; readonly issuer: string; readonly sub: Glob };

export interface Rule {
  /** For people: `rule 2 of /home/me/.scorpiox/policy.jsonc`. */
  readonly name: string;
  readonly level: PolicyLevel;
  readonly tools: readonly Glob[];
  /** The upstream servers whose tools it is about; undefined: it is about own tools too. */
  readonly servers?: readonly Glob[];
  /** Whose calls it is about; undefined: everybody's. */
  readonly owners?: readonly OwnerMatch[];
  /** The groups whose calls it is about; undefined: everybody's. */
  readonly groups?: readonly Glob[];
  readonly action: RuleAction;
  /** The writer's words, shown with a refusal. */
  readonly reason: string | undefined;
  readonly command: CommandMatch | undefined;
  /** Patterns for arguments of the call, by name. */
  readonly callArguments: readonly (readonly [string, Glob])[];
}

/** The default for calls to which no rule applies. */
export interface PolicyDefault {
  readonly tools: readonly Glob[];
  readonly action: RuleAction;
  readonly name: string;
}

/** Something in a file that cannot be used: calls of these tools are asked about until it is mended. */
export interface PolicyProblem {
  readonly tools: readonly Glob[];
  readonly message: string;
}

/** All files together. */
export interface Policy {
  readonly rules: readonly Rule[];
  readonly defaults: readonly PolicyDefault[];
  readonly problems: readonly PolicyProblem[];
  /** The ignored parts, such as rules of a project that would loosen. */
  readonly notes: readonly string[];
}

export const emptyPolicy: Policy = { rules: [], defaults: [], problems: [], notes: [] };

/** Whether a pattern for tools is about this one. Many write `bash`: a rule that is about nothing protects nobody. */
export function isAboutTool(glob: Glob, toolName: string): boolean {
  if (globMatches(glob, toolName)) return true;
  if (!commandTools.has(toolName)) return false;
  const inLowerCase = createGlob(glob.pattern.toLowerCase());
  return globMatches(inLowerCase, "bash") || globMatches(inLowerCase, toolName.toLowerCase());
}

/** The part of a policy that is about one tool. */
export interface ToolPolicy {
  readonly rules: readonly Rule[];
  readonly defaults: readonly PolicyDefault[];
  /** The first; undefined when nothing about the tool is broken. */
  readonly problem: PolicyProblem | undefined;
  /** A rule asks which paths the words of a call mean. */
  readonly hasPaths: boolean;
  /** A rule asks which programs a command starts. */
  readonly hasPrograms: boolean;
}

const noRules: ToolPolicy = {
  rules: [],
  defaults: [],
  problem: undefined,
  hasPaths: false,
  hasPrograms: false,
};

/** The part of a policy for each tool, by the tool's names: a policy never changes, and each call asks. */
const toolPolicies = new WeakMap<Policy, Map<string, ToolPolicy>>();
/** No tool has longer names; those of others are not kept. */
const keptNamesCharsMax = 500;

/** A tool as rules name it. */
export type JudgedTool = Pick<JudgedCall, "tool" | "otherNames" | "upstream">;

export function policyFor(policy: Policy, judged: JudgedTool): ToolPolicy {
  const { tool, otherNames = [], upstream } = judged;
  const { rules, defaults, problems } = policy;
  if (rules.length + defaults.length + problems.length === 0) return noRules;
  // Always in this form: clients choose names, and one that looks like the names of another tool must not share its key.
  const key = JSON.stringify([tool, otherNames, upstream]);
  const known = toolPolicies.get(policy)?.get(key);
  if (known !== undefined) return known;
  const isAbout = ({ tools, servers }: Pick<Rule, "tools" | "servers">): boolean => {
    if (servers !== undefined) {
      if (upstream === undefined) return false;
      if (!servers.some((glob) => globMatches(glob, upstream.server))) return false;
    }
    // A rule that names the server may call the tool as its server does.
    const names = servers === undefined ? otherNames : [...otherNames, upstream?.tool ?? tool];
    return tools.some(
      (glob) => isAboutTool(glob, tool) || names.some((name) => globMatches(glob, name)),
    );
  };
  const own = rules.filter(isAbout);
  const found: ToolPolicy = {
    rules: own,
    defaults: defaults.filter(isAbout),
    problem: problems.find(isAbout),
    hasPaths: own.some(asksForPaths),
    hasPrograms: own.some(({ command }) => command?.program !== undefined),
  };
  keepToolPolicy(policy, key, found);
  return found;
}

function keepToolPolicy(policy: Policy, key: string, found: ToolPolicy): void {
  if (key.length > keptNamesCharsMax) return;
  const byName = toolPolicies.get(policy) ?? new Map<string, ToolPolicy>();
  // Clients may call tools by any number of names.
  if (byName.size >= callKindsMax) byName.clear();
  toolPolicies.set(policy, byName.set(key, found));
}

function asksForPaths({ command, callArguments }: Rule): boolean {
  const globs = [...(command?.args ?? []), ...(command?.has ?? []), ...(command?.writes ?? [])];
  return globs.some(isPathGlob) || callArguments.some(([, glob]) => isPathGlob(glob));
}

/** A call as rules see it. */
export interface JudgedCall {
  readonly tool: string;
  readonly args: unknown;
  /** Names that rules may use as well. */
  readonly otherNames?: readonly string[];
  /** The upstream server of the tool, and the name that the tool has there; absent for own tools. */
  readonly upstream?: { readonly server: string; readonly tool: string };
  /** The caller; absent where nobody is known. */
  readonly person?: Person;
  /** The policy for all calls in the user's entry of the tool's server. */
  readonly serverPolicy?: { readonly server: string; readonly action: RuleAction };
}

/** The command of a call that runs one; undefined for all others. */
export function commandOf({ tool, args }: JudgedCall): string | undefined {
  return commandTools.has(tool) ? textsOf(args, "command")[0] : undefined;
}

/** An argument as texts: one for each element of a list. */
export function textsOf(args: unknown, key: string): readonly string[] {
  if (typeof args !== "object" || args === null || !Object.hasOwn(args, key)) return [];
  const value: unknown = Reflect.get(args, key);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map((part) => (typeof part === "string" ? part : (JSON.stringify(part) ?? "")));
}

/** One thing that decides about a call. */
export interface Cause {
  readonly action: RuleAction;
  /** The rule that decided; undefined when none did. */
  readonly rule: string | undefined;
  /** For people and models, one clause without a capital; undefined when there is nothing to say. */
  readonly reason: string | undefined;
}

/** The decision on a call, and its reason: by the worst cause. */
export interface Verdict extends Cause {
  /** Further causes to forbid it or to ask, the worst first. */
  readonly others?: readonly Cause[];
}

export const allowed: Verdict = { action: "allow", rule: undefined, reason: undefined };

const order: readonly RuleAction[] = ["allow", "ask", "deny"];

/** The strictest, with the objections of the others beside it; of equals the first. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  // Nearly every call is allowed.
  const objects = verdicts.some(({ action }) => action !== "allow");
  const [worst, ...others] = objects ? objectionsIn(verdicts) : [];
  if (worst !== undefined) return others.length === 0 ? worst : { ...worst, others };
  // Of allowing ones, one that names its rule says more.
  return verdicts.find(({ rule }) => rule !== undefined) ?? verdicts[0] ?? allowed;
}

/** All causes of a verdict, the worst first. */
export function causesOf({ others = [], ...worst }: Verdict): readonly Cause[] {
  return [worst, ...others];
}

/** Each once. Forbidden actions come first, then irreversible ones, then the rest in its order. */
function objectionsIn(verdicts: readonly Verdict[]): readonly Cause[] {
  const objecting = verdicts.filter(({ action }) => action !== "allow");
  if (objecting.length < 2) return objecting.flatMap(causesOf);
  const each = new Map(
    objecting
      .flatMap(causesOf)
      .map((cause) => [JSON.stringify([cause.action, cause.rule, cause.reason]), cause]),
  );
  return [...each.values()].sort(
    (a, b) => order.indexOf(b.action) - order.indexOf(a.action) || gravity(b) - gravity(a),
  );
}

function gravity({ rule, reason = "" }: Cause): number {
  return rule === cautionRule ? gravityOf(reason) : 0;
}

/** There are more rules, or longer ones, than can be matched against one call. */
export class TooMuchWork extends Error {}

/** The work done for one call, in units of about ten nanoseconds: a project's rules come from outside. */
export class RuleWork {
  #left = policyWorkMax;

  /** @throws TooMuchWork */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new TooMuchWork();
  }
}
