import { bgKeepHoursKey, bgPersistKey, hubIdleKey, hubKey, type HubModeName } from "./hub-keys.ts";
import {
  activeProfileKey,
  additionalSkillsKey,
  askBrowserKey,
  auditCommandsKey,
  auditKey,
  clientBudgetKey,
  configKeys,
  hooksEnabledKey,
  hooksTimeoutKey,
  modelKey,
  policyCautionsKey,
  shellPathKey,
  skillKeyName,
  skillSwitchKey,
  streamingKey,
  toolKeyName,
  toolsKey,
} from "./keys.ts";
import {
  maxToolNameKey,
  mcpConfigKey,
  mcpFileKey,
  mcpKey,
  mcpServerKey,
  mcpServerNameKey,
} from "./mcp-keys.ts";
import type { Resolution } from "./resolution.ts";
import {
  type SandboxBackendName,
  type SandboxModeName,
  sandboxBackendKey,
  sandboxKey,
  sandboxNetworkKey,
  sandboxWriteKey,
} from "./sandbox-keys.ts";
import {
  chromePathKey,
  marginaliaKeyKey,
  readDocsAllowHostsKey,
  searxngUrlKey,
  webSearchBaseKeys,
  webSearchEnginesKey,
  webSearchLanguageKey,
  webSearchRegionKey,
} from "./web-keys.ts";
import { listParts } from "./value-types.ts";

/** The values that the program runs with. */
export interface Settings {
  readonly tools: boolean;
  readonly streaming: boolean;
  readonly shellPath: string | undefined;
  /** 0 = calls are never handed over; undefined = as the client-limits table says. */
  readonly clientBudgetMs: number | undefined;
  readonly activeProfile: string | undefined;
  /** The hint given in sampling requests. */
  readonly model: string;
  readonly hooks: HookSettings;
  /** The opener of question pages: `auto`, `off`, or the path of a program. */
  readonly askBrowser: string;
  readonly sandbox: SandboxChoice;
  readonly policy: PolicySettings;
  readonly web: WebSettings;
  readonly skills: SkillSettings;
  readonly mcp: McpSettings;
  readonly hub: HubSettings;
  /** False when TOOLS or the tool's own switch is off. `toolName` as clients see it, for instance `Bash`. */
  isToolEnabled(toolName: string): boolean;
}

/** Upstream servers. Their entries are read elsewhere (`upstream/config/`). */
export interface McpSettings {
  readonly isOn: boolean;
  /** A key of the cascade names servers, or a file of them. */
  readonly namesServers: boolean;
  /** The name that clients have for scorpiox-code. */
  readonly serverName: string;
  /** Characters of the exposed name of an upstream tool. */
  readonly toolNameMax: number;
}

/** The process that is shared by all clients of a user. */
interface HubSettings {
  readonly mode: HubModeName;
  /** 0 = it ends with its last client. */
  readonly idleS: number;
  /** Whether background tasks outlive their client by default; undefined: those that ask for it. False refuses these too. */
  readonly persists: boolean | undefined;
  /** From the start of a kept task; 0 = no end. */
  readonly keepHours: number;
}

interface HookSettings {
  readonly isEnabled: boolean;
  /** The time limit of each hook. */
  readonly timeoutMs: number;
}

interface SkillSettings {
  /** More folders with skills in them; absolute paths. */
  readonly additional: readonly string[];
  /** False when the skill's own switch is off. */
  isEnabled(skillName: string): boolean;
}

/** How commands are confined. */
interface SandboxChoice {
  readonly mode: SandboxModeName;
  readonly hasNetwork: boolean;
  /** Absolute paths. */
  readonly writable: readonly string[];
  readonly backend: SandboxBackendName;
}

/** Settings of ReadDocs and WebSearch; an empty value means none. */
export interface WebSettings {
  readonly allowHosts: readonly string[];
  readonly chromePath: string | undefined;
  readonly searchEngines: readonly string[] | undefined;
  readonly searchLanguage: string;
  readonly searchRegion: string | undefined;
  readonly searxngUrl: string | undefined;
  readonly marginaliaKey: string | undefined;
  /** Base URLs of search engines, by engine id. */
  readonly searchBaseUrls: Readonly<Record<string, string>>;
}

/** Built-in cautions, and the audit log. */
interface PolicySettings {
  readonly cautions: boolean;
  readonly audit: boolean;
  readonly auditCommands: boolean;
}

export function createSettings(resolution: Resolution): Settings {
  const tools = resolution.valueOf(toolsKey) ?? true;
  return {
    tools,
    streaming: resolution.valueOf(streamingKey) ?? true,
    shellPath: resolution.valueOf(shellPathKey),
    clientBudgetMs: resolution.valueOf(clientBudgetKey),
    activeProfile: resolution.valueOf(activeProfileKey) || undefined,
    model: resolution.valueOf(modelKey) ?? "sonnet",
    askBrowser: resolution.valueOf(askBrowserKey) ?? "auto",
    hooks: {
      isEnabled: resolution.valueOf(hooksEnabledKey) ?? true,
      timeoutMs: (resolution.valueOf(hooksTimeoutKey) ?? 30) * 1000,
    },
    policy: {
      cautions: resolution.valueOf(policyCautionsKey) ?? true,
      audit: resolution.valueOf(auditKey) ?? true,
      auditCommands: resolution.valueOf(auditCommandsKey) ?? false,
    },
    sandbox: {
      mode: resolution.valueOf(sandboxKey) ?? "off",
      hasNetwork: resolution.valueOf(sandboxNetworkKey) !== "off",
      writable: listParts(resolution.valueOf(sandboxWriteKey) ?? ""),
      backend: resolution.valueOf(sandboxBackendKey) ?? "auto",
    },
    web: createWebSettings(resolution),
    skills: createSkillSettings(resolution),
    mcp: createMcpSettings(resolution),
    hub: createHubSettings(resolution),
    isToolEnabled(toolName) {
      const key = configKeys.get(toolKeyName(toolName));
      return tools && (key === undefined || resolution.valueOf(key) !== false);
    },
  };
}

/** Characters of a tool's name that model interfaces accept, with the client's prefix `mcp__<server>__`. */
const clientToolNameMax = 64;

function createMcpSettings(resolution: Resolution): McpSettings {
  const serverName = resolution.valueOf(mcpServerNameKey) ?? "";
  const keys = [mcpServerKey, mcpConfigKey, mcpFileKey];
  return {
    isOn: resolution.valueOf(mcpKey) ?? true,
    namesServers: keys.some((key) => resolution.valueOf(key) !== undefined),
    serverName,
    toolNameMax:
      resolution.valueOf(maxToolNameKey) ?? clientToolNameMax - `mcp__${serverName}__`.length,
  };
}

function createHubSettings(resolution: Resolution): HubSettings {
  return {
    mode: resolution.valueOf(hubKey) ?? "auto",
    idleS: resolution.valueOf(hubIdleKey) ?? 10,
    persists: resolution.valueOf(bgPersistKey),
    keepHours: resolution.valueOf(bgKeepHoursKey) ?? 24,
  };
}

function createSkillSettings(resolution: Resolution): SkillSettings {
  return {
    additional: listParts(resolution.valueOf(additionalSkillsKey) ?? ""),
    isEnabled(skillName) {
      const key = skillSwitchKey(skillKeyName(skillName));
      return key === undefined || resolution.valueOf(key) !== false;
    },
  };
}

function createWebSettings(resolution: Resolution): WebSettings {
  const searchBaseUrls: Record<string, string> = {};
  for (const [id, key] of webSearchBaseKeys) {
    const url = resolution.valueOf(key);
    if (url) searchBaseUrls[id] = url;
  }
  const engines = resolution.valueOf(webSearchEnginesKey);
  return {
    allowHosts: listParts(resolution.valueOf(readDocsAllowHostsKey) ?? ""),
    chromePath: resolution.valueOf(chromePathKey),
    searchEngines: engines === undefined ? undefined : listParts(engines),
    searchLanguage: resolution.valueOf(webSearchLanguageKey) ?? "en",
    searchRegion: resolution.valueOf(webSearchRegionKey) || undefined,
    searxngUrl: resolution.valueOf(searxngUrlKey) || undefined,
    marginaliaKey: resolution.valueOf(marginaliaKeyKey) || undefined,
    searchBaseUrls,
  };
}
