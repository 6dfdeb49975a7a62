import type { Environment } from "../../config/load-config.ts";
import type { SecretStore } from "../secrets/secret-store.ts";
import type { ServerLaunch } from "./server-entry.ts";

/** The sources from which references are filled in. */
export interface ExpansionContext {
  readonly env: Environment;
  readonly homeDir: string;
  /** Undefined where there is no project. */
  readonly projectDir?: string | undefined;
  readonly secrets: SecretStore;
  /**
   * Runs the command of `${cmd:…}` and returns its stdout, with time and size bounded by the implementation. Absent:
   * such references are refused.
   * @throws with a message that has no secret in it
   */
  readonly runCommand?: (command: string) => Promise<string>;
}

/**
 * The name under which the store keeps the value that the user has entered for `${input:NAME}`. A value entered for a
 * project's launch belongs to that launch alone: another launch must not get it by naming it.
 */
export function inputSecretName(name: string, trust: "user" | "project", identity: string): string {
  return trust === "user" ? `input/${name}` : `input/${identity.slice(0, 16)}/${name}`;
}

/** A variable or secret that a launch names is missing or cannot be used. Never leaves this folder. */
export class NeedsConfig extends Error {
  override readonly name = "NeedsConfig";

  /**
   * @param variable as written, without `${}`
   * @param message a sentence: the missing value and the remedy
   */
  constructor(
    readonly variable: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Placeholders for `${principal}` and `${principalDir}` when an entry is read: the principal of a connection is known
 * only when it is opened. They use characters that no configuration file has.
 */
export const principalMarks = {
  principal: "\u{E000}principal\u{E000}",
  principalDir: "\u{E000}principalDir\u{E000}",
} as const;

/** Whether a launch, as written, differs between principals. */
export function namesPrincipal(launch: ServerLaunch): boolean {
  return /\$\{principal(?:Dir)?(?::-|\})/.test(JSON.stringify(launch));
}
