import type { Environment } from "../../config/load-config.ts";
import type { SecretStore } from "../secrets/secret-store.ts";
import type { ServerLaunch } from "./server-entry.ts";

/** What references are filled in from. */
export interface ExpansionContext {
  readonly env: Environment;
  readonly homeDir: string;
  /** Undefined where there is no project. */
  readonly projectDir?: string | undefined;
  readonly secrets: SecretStore;
  /**
   * Runs the command of `${cmd:…}` and gives what it writes to stdout; whoever gives it bounds time and size. Absent: such
   * references are refused.
   * @throws with a message that has no secret in it
   */
  readonly runCommand?: (command: string) => Promise<string>;
}

/**
 * The name under which the store keeps what the user has typed for `${input:NAME}`. What was typed for the launch of a
 * project is that launch's alone: another one must not get it by naming it.
 */
export function inputSecretName(name: string, trust: "user" | "project", identity: string): string {
  return trust === "user" ? `input/${name}` : `input/${identity.slice(0, 16)}/${name}`;
}

/** A variable or secret that a launch names is not there, or cannot be used. Never leaves this folder. */
export class NeedsConfig extends Error {
  override readonly name = "NeedsConfig";

  /**
   * @param variable as written, without `${}`
   * @param message a sentence: what is missing and what to do
   */
  constructor(
    readonly variable: string,
    message: string,
  ) {
    super(message);
  }
}

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
