import type { Backends, Trial } from "./backends.ts";
import type { BackendName } from "./bounds.ts";
import { planNotesOf, unheldNote } from "./notes.ts";
import { reasonsOf, refusalOf, type SandboxSettings } from "./settings.ts";

/** The sandboxes that work here, and the effect on commands. */
export interface SandboxReport {
  readonly settings: SandboxSettings;
  /** Each sandbox of this kind of system, tried with the network and without. */
  readonly trials: readonly Trial[];
  /** Which one commands run in; null for none. */
  readonly used: BackendName | null;
  /** Why commands are refused; null when they run. */
  readonly refusal: string | null;
  /** The rules that plan mode enforces and does not enforce. */
  readonly planMode: readonly string[];
}

/** Tries every sandbox of this system. */
export async function reportOn(
  settings: SandboxSettings,
  backends: Backends,
): Promise<SandboxReport> {
  const trials: Trial[] = [];
  for (const name of backends.known) {
    trials.push(await backends.try(name, true), await backends.try(name, false));
  }
  const { mode, hasNetwork, backend } = settings;
  const chosen = await backends.choose(backend, hasNetwork);
  const isWanted = mode !== "off" || !hasNetwork;
  if ("name" in chosen) {
    const planMode = planNotesOf(chosen.name, hasNetwork);
    return { settings, trials, used: isWanted ? chosen.name : null, refusal: null, planMode };
  }
  const reasons = reasonsOf(chosen);
  const refusal = isWanted ? refusalOf(settings, reasons) : null;
  return { settings, trials, used: null, refusal, planMode: [refusal ?? unheldNote(reasons)] };
}
