import type { Backends, Trial } from "./backends.ts";
import type { BackendName, SandboxMode } from "./backend-arguments.ts";
import { protectedInWorkspace } from "./shield.ts";

/** Why a command is confined, and how. */
export interface Applied {
  readonly backend: BackendName;
  readonly mode: SandboxMode;
  readonly hasNetwork: boolean;
  /** SANDBOX_WRITE opens something. */
  readonly opensMore?: boolean;
  /** Plan mode asks for it; the file that may be written, when there is one. */
  readonly plan: { readonly planFile: string | undefined } | undefined;
}

/** The sandbox in which a command ran, and the parts that are not enforced: one sentence each, for the model. */
export function notesOf(applied: Applied): string[] {
  const open = notHeld(applied);
  const notes = [heldIn(applied)];
  if (!applied.hasNetwork) notes.push("No network.");
  if (open.length > 0) notes.push(`Not enforced: ${open.join("; ")}.`);
  return notes;
}

/** The notes of plan mode before any command ran in it. */
export function planNotesOf(backend: BackendName, hasNetwork: boolean): string[] {
  const [, ...others] = notesOf({ backend, mode: "read-only", hasNetwork, plan: undefined });
  return [
    `Commands run read-only (${backend}): only the plan file (in place) and $TMPDIR can be written.`,
    ...others,
  ];
}

/** Plan mode where nothing can hold a command. */
export function unheldNote(reasons: string): string {
  return `Plan mode is on, but nothing on this system stops commands from writing (${reasons}): run commands that only read.`;
}

/** The sandbox in which a command would run, as a clause, for the user who is asked whether it may run. */
export function stateOf({ backend, mode, hasNetwork, plan }: Applied): string {
  const files = plan !== undefined ? "read-only, because plan mode is on" : mode;
  const parts = [
    ...(files === "off" ? ["it may write everything that you may"] : [files]),
    ...(hasNetwork ? [] : ["no network"]),
  ];
  return `${parts.join(", ")} (${backend})`;
}

/** The clause of `stateOf` where nothing can hold a command; `isRefused`: then it will not run at all. */
export function unheldState(isRefused: boolean): string {
  return isRefused
    ? "the configured sandbox cannot be enforced here, so it will not be run"
    : "none, although plan mode is on: nothing on this system stops it from writing, so it may do everything that you may";
}

function heldIn({ backend, mode, plan, opensMore = false }: Applied): string {
  if (plan !== undefined) {
    const what = plan.planFile === undefined ? "$TMPDIR" : "the plan file (in place) and $TMPDIR";
    return `Ran read-only for plan mode (${backend}): only ${what} could be written.`;
  }
  switch (mode) {
    case "off":
      return `Ran in a network sandbox (${backend}): files are not restricted.`;
    case "read-only":
      return `Ran in the sandbox read-only (${backend}): only $TMPDIR could be written.`;
    case "workspace-write": {
      const what = `the workspace${opensMore ? ", the folders in SANDBOX_WRITE" : ""} and $TMPDIR`;
      return `Ran in the sandbox workspace-write (${backend}): only ${what} could be written.`;
    }
  }
}

function notHeld({ backend, mode }: Applied): string[] {
  if (mode === "off") return [];
  switch (backend) {
    case "bubblewrap":
      return ["named pipes that processes outside the sandbox read"];
    case "landlock":
      return [
        "chmod, chown, file times and extended attributes",
        ...(mode === "workspace-write" ? [`protection of ${protectedInWorkspace.join(", ")}`] : []),
      ];
    case "seatbelt":
      return [];
  }
}

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
