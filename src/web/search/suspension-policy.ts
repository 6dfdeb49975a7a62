import type { EngineSuspension } from "../../state/store/tables.ts";
import type { EngineReport } from "./search-reply.ts";

/** The consequence of an answer, or of its absence, for asking that engine again. */
export type SuspensionVerdict =
  /** It answers: earlier failures are forgotten. */
  | { readonly kind: "healthy" }
  /** It was not heard out: nothing was learned. */
  | { readonly kind: "unknown" }
  /** Captcha, Cloudflare's challenge, a wall of JavaScript. */
  | { readonly kind: "challenge"; readonly reason: string }
  /** 401, 402, 403, a consent wall. */
  | { readonly kind: "denied"; readonly reason: string }
  /** 429 or a throttle code; undefined when it did not say for how long. */
  | { readonly kind: "throttled"; readonly reason: string; readonly waitMs: number | undefined }
  /** Timeout, network error, 5xx. */
  | { readonly kind: "fault"; readonly reason: string }
  | { readonly kind: "poisoned"; readonly reason: string };

/** Suspensions (ranking, "Suspension and circuit breaking"): the first one, and the limit of doubling. */
const challengeMs = { first: 3_600_000, max: 86_400_000 };
const deniedMs = { first: 180_000, max: 3_600_000 };
const faultMs = { first: 5_000, max: 120_000 };
const throttledMs = 180_000;
/** The pause that an engine may ask for: as it says, but neither zero nor forever. */
const waitMs = { min: 1_000, max: 3_600_000 };
const poisonedMs = 600_000;
/** No suspension lasts longer; one that does was written before the clock was set back. */
export const suspensionMsMax = challengeMs.max;

/**
 * The suspension after `verdict`; undefined = none.
 * @param isProbe the engine's time was up and this was the one probe: its failure raises the number,
 * while failures of requests that were under way together are counted once
 */
export function nextSuspension(
  engine: string,
  present: EngineSuspension | undefined,
  verdict: SuspensionVerdict,
  { nowMs, isProbe }: { readonly nowMs: number; readonly isProbe: boolean },
): EngineSuspension | undefined {
  if (verdict.kind === "unknown") {
    return present === undefined || !isProbe ? present : { ...present, probeUntilMs: 0 };
  }
  // An answer to a question from before the suspension does not end it.
  if (verdict.kind === "healthy") return isProbe ? undefined : present;
  const counts = countsAfter(present, verdict, isProbe);
  const untilMs = nowMs + durationOf(verdict, counts);
  if (!isProbe && present !== undefined && present.untilMs >= untilMs) return present;
  const probeUntilMs = isProbe ? 0 : (present?.probeUntilMs ?? 0);
  return { engine, reason: verdict.reason, untilMs, probeUntilMs, ...counts };
}

type FailureCounts = Pick<EngineSuspension, "challenges" | "denials" | "faults">;
type Failure = Exclude<SuspensionVerdict, { kind: "healthy" | "unknown" }>;

function countsAfter(
  present: EngineSuspension | undefined,
  { kind }: Failure,
  isProbe: boolean,
): FailureCounts {
  const raise = (count = 0, isThis: boolean): number =>
    isThis && (isProbe || count === 0) ? count + 1 : count;
  return {
    challenges: raise(present?.challenges, kind === "challenge"),
    denials: raise(present?.denials, kind === "denied"),
    faults: raise(present?.faults, kind === "fault"),
  };
}

function durationOf(failure: Failure, counts: FailureCounts): number {
  switch (failure.kind) {
    case "challenge":
      return doubled(challengeMs, counts.challenges);
    case "denied":
      return doubled(deniedMs, counts.denials);
    case "fault":
      return doubled(faultMs, counts.faults);
    case "throttled":
      return Math.min(Math.max(failure.waitMs ?? throttledMs, waitMs.min), waitMs.max);
    case "poisoned":
      return poisonedMs;
  }
}

function doubled({ first, max }: { first: number; max: number }, count: number): number {
  return Math.min(first * 2 ** (count - 1), max);
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const separator = ": ";

/** The detail of a suspended engine: the remaining time, and the reason. `52 min: blocked (captcha)` */
export function suspensionDetail(leftMs: number, reason: string): string {
  return `${spanText(leftMs)}${separator}${reason}`;
}

/** The time alone, for one line on many engines. */
export function withoutReason(detail: string): string {
  return detail.split(separator, 1)[0] ?? "";
}

/** A time to wait, rounded up: `5 s`, `52 min`, `12 h`. */
function spanText(ms: number): string {
  if (ms <= minuteMs) return `${Math.max(1, Math.ceil(ms / 1000))} s`;
  return ms <= 2 * hourMs ? `${Math.ceil(ms / minuteMs)} min` : `${Math.ceil(ms / hourMs)} h`;
}

/** The guard's message about a host that sent no byte; the cause is at its end. */
const unreached =
  /(?:Cannot resolve "[^"]*"|Cannot connect to "[^"]*" on port \d+|did not answer on port \d+(?=: the connection was refused)): ([^()]*)/;

/** Why none of the engines could be reached; undefined when one of them was, or failed in another way. */
export function offlineCause(engines: readonly EngineReport[]): string | undefined {
  const causes = engines.map(({ detail = "" }) => unreached.exec(detail)?.[1]);
  const [first] = causes;
  return causes.every((cause) => cause !== undefined) ? first : undefined;
}

/** One cause said once: of each engine stays that it was not reached, and for how long it is left alone. */
export function withoutCause(engines: readonly EngineReport[]): readonly EngineReport[] {
  return engines.map((engine) => {
    const { status, detail = "" } = engine;
    const wait = status === "suspended" ? `${withoutReason(detail)}: ` : "";
    return { ...engine, detail: `${wait}offline` };
  });
}
