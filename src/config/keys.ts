import { hubKeys } from "./hub-keys.ts";
import { mcpKeys } from "./mcp-keys.ts";
import { sandboxKeys } from "./sandbox-keys.ts";
import { toolSwitches } from "./tool-switches.macro.ts" with { type: "macro" };
import {
  booleanValue,
  type ConfigKey,
  integerValue,
  pathListValue,
  pathValue,
  profileNameValue,
  type ValueType,
} from "./value-types.ts";
import { webKeys } from "./web-keys.ts";

export const additionalSkillsKey: ConfigKey<string> = {
  name: "ADDITIONAL_SKILLS",
  type: pathListValue,
  help: "More folders with skills; skills of the workspace and of the user have priority.",
  project: "never",
  published: true,
};

const skillKeys: readonly ConfigKey[] = [additionalSkillsKey];

/** The switch of the skill `skillName`: `SKILL_REVIEW_NOTES` for `review-notes`. */
export function skillKeyName(skillName: string): string {
  return `SKILL_${skillName.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
}

/** The key of this name, when it is the switch of a skill: there is one for each name that a skill may have. */
export function skillSwitchKey(name: string): ConfigKey<boolean> | undefined {
  if (!/^SKILL_[A-Z0-9_]{1,64}$/.test(name)) return undefined;
  return {
    name,
    type: booleanValue,
    default: true,
    whenBad: "false",
    help: "Offer this skill. Off: it is not listed and cannot be loaded.",
    project: "narrow",
    published: true,
  };
}

const browserValue: ValueType<string> = {
  name: "browser",
  allowed: `auto, off, or ${pathValue.allowed}`,
  parse(text, homeDir) {
    const word = text.toLowerCase();
    return word === "auto" || word === "off" ? word : pathValue.parse(text, homeDir);
  },
};

export const askBrowserKey: ConfigKey<string> = {
  name: "ASK_BROWSER",
  type: browserValue,
  default: "auto",
  help: "Opens the page on which AskUserQuestion asks: auto, off, or a program that gets the address.",
  // It may name a program to start.
  project: "never",
  published: false,
};

export const policyCautionsKey: ConfigKey<boolean> = {
  name: "POLICY_CAUTIONS",
  type: booleanValue,
  default: true,
  help: "Ask before commands that are usually a mistake, such as rm -rf / or git push --force.",
  project: "never",
  published: false,
};

export const auditKey: ConfigKey<boolean> = {
  name: "AUDIT",
  type: booleanValue,
  default: true,
  help: "Log each call to ~/.scorpiox/audit/audit.jsonl, with a digest of its arguments.",
  project: "never",
  published: false,
};

export const auditCommandsKey: ConfigKey<boolean> = {
  name: "AUDIT_COMMANDS",
  type: booleanValue,
  default: false,
  help: "Also log the text of commands, with anything that looks like a secret removed.",
  project: "never",
  published: false,
};

const policyKeys: readonly ConfigKey[] = [policyCautionsKey, auditKey, auditCommandsKey];

export const hooksEnabledKey: ConfigKey<boolean> = {
  name: "HOOKS_ENABLED",
  type: booleanValue,
  default: true,
  help: "Run hooks: scripts in ~/.scorpiox/hooks, and those of a project that you have approved.",
  // The user's guards are among them: the author of a folder's files must not switch those off.
  project: "never",
  published: true,
};

export const hooksTimeoutKey: ConfigKey<number> = {
  name: "HOOKS_TIMEOUT",
  type: integerValue(1, 600),
  default: 30,
  unit: "s",
  help: "A hook that runs longer is ended; a sync hook then stops the call.",
  project: "never",
  published: true,
};

const modelValue: ValueType<string> = {
  name: "model",
  allowed: "a model's name: at most 100 letters, digits and - _ . : / @ characters",
  parse: (text) => (/^[\w.:/@-]{1,100}$/.test(text) ? text : undefined),
};

export const modelKey: ConfigKey<string> = {
  name: "MODEL",
  type: modelValue,
  default: "sonnet",
  help: "The model that sampling requests name as a hint; which one answers is the client's choice.",
  // Another model may cost the user more.
  project: "never",
  published: true,
};

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
    ...hubKeys,
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
