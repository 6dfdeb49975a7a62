import type { Environment } from "../../config/environment.ts";
import type { SecretStore } from "../secrets/secret-store.ts";

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
