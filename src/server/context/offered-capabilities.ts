import type { ToolProvider, TaskSupport } from "../../calls/call.ts";
import type { ServerFeatures } from "../../calls/features.ts";
import type { OfferedCapabilities } from "../../protocol/handshake-codec.ts";

/** The feature of a method, apart from the core that every server has. */
export type Need = "resources" | "prompts" | "completion" | "skills" | "tasks" | "subscriptions";

/** An undeclared feature does not exist: its methods are unknown (docs/spec/modern.md#discovery). */
export function isOffered(features: ServerFeatures, need: Need): boolean {
  switch (need) {
    case "tasks":
      return offersTasks(features);
    case "subscriptions":
      return hasSubscriptions(features);
    case "resources":
    case "prompts":
    case "completion":
    case "skills":
      return features[need] !== undefined;
  }
}

/** The capabilities in both handshakes, before the revision shapes them. */
export function offeredCapabilities(features: ServerFeatures): OfferedCapabilities {
  const { resources, prompts, completion, skills, changing, tools } = features;
  return {
    tools: { listChanged: changing.has("tools") },
    ...(resources === undefined ? {} : { resources: { listChanged: changing.has("resources") } }),
    ...(prompts === undefined ? {} : { prompts: { listChanged: changing.has("prompts") } }),
    completions: completion !== undefined,
    tasks: offersTasks(features),
    skills: skills !== undefined,
    apps: tools.takesOtherNames === true,
  };
}

/** True when there is anything that could be said to somebody who listens (docs/spec/modern.md#subscriptions). */
function hasSubscriptions(features: ServerFeatures): boolean {
  const { resources, changing } = features;
  return resources !== undefined || changing.size > 0 || offersTasks(features);
}

/** Whether calls of this tool can be answered with an MCP task. */
export function taskSupportOf(tools: ToolProvider, toolName: string): TaskSupport {
  return tools.taskSupport?.(toolName) ?? "none";
}

/** True when some tool makes MCP tasks: only then the extension is declared and its methods exist. */
export function offersTasks({ tools }: ServerFeatures): boolean {
  if (tools.takesOtherNames === true) return true;
  return tools.list().some(({ name }) => taskSupportOf(tools, name) !== "none");
}
