import {
  activeProfileKey,
  clientBudgetKey,
  configKeys,
  shellPathKey,
  streamingKey,
  toolKeyName,
  toolsKey,
} from "./keys.ts";
import type { Resolution } from "./resolution.ts";

/** The values that the program runs with. */
export interface Settings {
  readonly tools: boolean;
  readonly streaming: boolean;
  readonly shellPath: string | undefined;
  /** 0 = calls are never handed over; undefined = as the client-limits table says. */
  readonly clientBudgetMs: number | undefined;
  readonly activeProfile: string | undefined;
  /** False when TOOLS or the tool's own switch is off. `toolName` as clients see it, for instance `Bash`. */
  isToolEnabled(toolName: string): boolean;
}

export function createSettings(resolution: Resolution): Settings {
  const tools = resolution.valueOf(toolsKey) ?? true;
  return {
    tools,
    streaming: resolution.valueOf(streamingKey) ?? true,
    shellPath: resolution.valueOf(shellPathKey),
    clientBudgetMs: resolution.valueOf(clientBudgetKey),
    activeProfile: resolution.valueOf(activeProfileKey) || undefined,
    isToolEnabled(toolName) {
      const key = configKeys.get(toolKeyName(toolName));
      return tools && (key === undefined || resolution.valueOf(key) !== false);
    },
  };
}
