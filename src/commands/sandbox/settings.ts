import type { Trial } from "./backends.ts";
import type { BackendName, SandboxMode } from "./bounds.ts";

/** The user's choice. */
export interface SandboxSettings {
  readonly mode: SandboxMode;
  readonly hasNetwork: boolean;
  /** Absolute paths that `workspace-write` opens besides the workspace. */
  readonly writable: readonly string[];
  /** Undefined = the best that works. */
  readonly backend: BackendName | undefined;
}

/** Why none of the sandboxes that were tried can be used. */
export function reasonsOf(trials: readonly Trial[]): string {
  if (trials.length === 0) return "no sandbox exists for this kind of system";
  return trials.map(({ name, problem }) => `${name}: ${problem}`).join("; ");
}

/** The answer to a command whose sandbox is unavailable. */
export function refusalOf({ mode, hasNetwork }: SandboxSettings, reasons: string): string {
  const wanted = [
    ...(mode === "off" ? [] : [`SANDBOX=${mode}`]),
    ...(hasNetwork ? [] : ["SANDBOX_NETWORK=off"]),
  ].join(" with ");
  return `${wanted} cannot be enforced here, so nothing was run (${reasons}). See \`scorpiox-code doctor sandbox\`.`;
}
