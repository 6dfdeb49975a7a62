import { runsCommand } from "../../../base/command-tools.ts";
import { createGlob, type Glob, globMatches } from "./glob.ts";

export const ruleActions = ["allow", "ask", "deny"] as const;
export type RuleAction = (typeof ruleActions)[number];

/** Whose file a rule is from. A project is other people's text: it may only tighten. */
export type PolicyLevel = "managed" | "user" | "project";

/** What a command must be like; all that is given must hold. */
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

export interface Rule {
  /** For people: `rule 2 of /home/me/.scorpiox/policy.jsonc`. */
  readonly name: string;
  readonly level: PolicyLevel;
  readonly tools: readonly Glob[];
  readonly action: RuleAction;
  /** The writer's words, shown with a refusal. */
  readonly reason: string | undefined;
  readonly command: CommandMatch | undefined;
  /** Patterns for arguments of the call, by name. */
  readonly callArguments: readonly (readonly [string, Glob])[];
}

/** What holds for calls that no rule is about. */
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
  /** What was ignored, such as rules of a project that would loosen. */
  readonly notes: readonly string[];
}

export const emptyPolicy: Policy = { rules: [], defaults: [], problems: [], notes: [] };

/** Whether a pattern for tools is about this one. Many write `bash`: a rule that is about nothing protects nobody. */
export function isAboutTool(glob: Glob, toolName: string): boolean {
  if (globMatches(glob, toolName)) return true;
  if (!runsCommand(toolName)) return false;
  const inLowerCase = createGlob(glob.pattern.toLowerCase());
  return globMatches(inLowerCase, "bash") || globMatches(inLowerCase, toolName.toLowerCase());
}
