import type { ServerLaunch } from "./server-entry.ts";

/**
 * What `${principal}` and `${principalDir}` are filled in with when an entry is read: whose connection it will be is
 * known only when one is opened. Characters that no file of configuration has.
 */
export const principalMarks = {
  principal: "\u{E000}principal\u{E000}",
  principalDir: "\u{E000}principalDir\u{E000}",
} as const;

/** Whether a launch, as written, differs between principals. */
export function namesPrincipal(launch: ServerLaunch): boolean {
  return /\$\{principal(?:Dir)?(?::-|\})/.test(JSON.stringify(launch));
}
