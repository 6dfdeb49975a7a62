import { modelKey } from "./callback-keys.ts";
import { hooksEnabledKey, hooksTimeoutKey } from "./hook-keys.ts";
import { mcpKeys } from "./mcp-keys.ts";
import { policyKeys } from "./policy-keys.ts";
import { askBrowserKey } from "./question-keys.ts";
import { sandboxKeys } from "./sandbox-keys.ts";
import { skillKeys, skillSwitchKey } from "./skill-keys.ts";
import { toolSwitches } from "./tool-switches.macro.ts" with { type: "macro" };
import {
  booleanValue,
  type ConfigKey,
  integerValue,
  pathValue,
  profileNameValue,
} from "./value-types.ts";
import { webKeys } from "./web-keys.ts";

export const toolsKey: ConfigKey<boolean> = {
  name: "TOOLS",
  type: booleanValue,
  default: true,
  whenBad: "false",
  help: "Offer the native tools. Off: none is listed and calls to them are refused.",
  project: "narrow",
  published: true,
};

export const streamingKey: ConfigKey<boolean> = {
  name: "STREAMING",
  type: booleanValue,
  default: true,
  help: "Send the new output of a running command as progress messages to clients that ask for progress.",
  project: "set",
  published: true,
};

export const shellPathKey: ConfigKey<string> = {
  name: "SHELL_PATH",
  type: pathValue,
  help: "The shell that runs commands. Default: bash; on Windows Git Bash, then pwsh.",
  project: "never",
  published: false,
};

export const clientBudgetKey: ConfigKey<number> = {
  name: "CLIENT_BUDGET_MS",
  type: integerValue(1000, 86_400_000, "never handed over"),
  unit: "ms",
  help: "A call that still runs after this time continues as a background task. Default: by client.",
  project: "never",
  published: false,
};

export const activeProfileKey: ConfigKey<string> = {
  name: "ACTIVE_PROFILE",
  type: profileNameValue,
  help: "The profile to use: scorpiox-env/<name>.txt beside a scorpiox-env.txt. Empty: none.",
  project: "never",
  published: false,
};

function toolKey(tool: string): ConfigKey<boolean> {
  return {
    name: `TOOL_${tool}`,
    type: booleanValue,
    default: true,
    whenBad: "false",
    help: "Offer this tool. Off: it is not listed and calls to it are refused.",
    project: "narrow",
    published: true,
  };
}

/** Every key that has an effect, in the order in which they are listed. */
export const configKeys: ReadonlyMap<string, ConfigKey> = new Map(
  [
    toolsKey,
    streamingKey,
    shellPathKey,
    clientBudgetKey,
    activeProfileKey,
    ...webKeys,
    ...sandboxKeys,
    ...policyKeys,
    ...skillKeys,
    askBrowserKey,
    modelKey,
    hooksEnabledKey,
    hooksTimeoutKey,
    ...mcpKeys,
    ...toolSwitches().map(toolKey),
  ].map((key) => [key.name, key]),
);

/** Any key that has an effect: those of the list, and the switch of each skill. */
export function findConfigKey(name: string): ConfigKey | undefined {
  return configKeys.get(name) ?? skillSwitchKey(name);
}

/** The switch of the tool `toolName`, for instance `TOOL_BASH` for `Bash`. */
export function toolKeyName(toolName: string): string {
  return `TOOL_${toolName.toUpperCase()}`;
}
