/** The worst effect of a tool, as scopes may name it: it only reads, it changes something, or it may destroy. */
export const toolRisks = ["read", "write", "destructive"] as const;
export type ToolRisk = (typeof toolRisks)[number];

/** The risk of a tool by the hints of its definition; without them a tool may destroy, as the protocol has it. */
export function riskOfHints({
  readOnlyHint,
  destructiveHint,
}: {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
} = {}): ToolRisk {
  if (readOnlyHint === true) return "read";
  return destructiveHint === false ? "write" : "destructive";
}

/** Built-in tools that run a shell command. Rules and scopes for Bash apply to all of them: each can do what Bash can. */
export const commandTools: ReadonlySet<string> = new Set(["Bash", "BackgroundBash"]);

/** The tool that finds tools of upstream servers; its definition is loaded where there are such servers. */
export const toolSearchName = "tool_search";
/** The tool that calls what `tool_search` has found. */
export const toolCallName = "tool_call";

/** The tool that loads skills: who may not use it, or where it is switched off, there are none. */
export const skillToolName = "InvokeSkill";
