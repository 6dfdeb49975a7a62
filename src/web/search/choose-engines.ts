import type { SearchEngine } from "./engine.ts";
import type { EngineAvailability } from "./suspension-book.ts";

/** The engines that may be asked, by role. */
export interface EngineRoster {
  /** The defaults, or those that the user chose; each has a slot. */
  readonly slots: readonly SearchEngine[];
  /** The engines that replace suspended ones; empty when the user chose. */
  readonly bench: readonly SearchEngine[];
  /** Engines that are asked besides; they take no slot. */
  readonly extras: readonly SearchEngine[];
}

/** The part of one engine in one search. */
export type EngineChoice =
  | {
      readonly kind: "ask";
      readonly engine: SearchEngine;
      /** This question finds out for all processes whether it answers again. */
      readonly isProbe: boolean;
      readonly replaces?: string;
    }
  | {
      readonly kind: "suspended";
      readonly engine: SearchEngine;
      readonly leftMs: number;
      readonly reason: string;
    };

/** The known suspensions at this moment. */
export interface Suspensions {
  suspended(): ReadonlyMap<string, EngineAvailability>;
  claimProbe(engine: string): boolean;
}

/** Two official interfaces that answer nearly always: asked when everybody is suspended. */
const lastResort: readonly string[] = ["wikipedia", "mwmbl"];

/** The engines to ask, in the fixed order; each suspended engine is followed by the one that takes its place. */
export function chooseEngines(roster: EngineRoster, suspensions: Suspensions): EngineChoice[] {
  const suspended = suspensions.suspended();
  const judge = (engine: SearchEngine, replaces?: string): EngineChoice =>
    choiceFor(engine, suspended.get(engine.id), suspensions, replaces);
  const bench = [...roster.bench];
  const slots = roster.slots.flatMap((engine): EngineChoice[] => {
    const choice = judge(engine);
    const replacement = choice.kind === "ask" ? undefined : nextFree(bench, engine.id, judge);
    return replacement === undefined ? [choice] : [choice, replacement];
  });
  const isNobodyLeft = slots.every(({ kind }) => kind === "suspended");
  return [
    ...(isNobodyLeft ? slots.map(askLastResort) : slots),
    ...roster.extras.map((engine) => judge(engine)),
  ];
}

/** Takes engines off the front of `bench` until one may be asked. */
function nextFree(
  bench: SearchEngine[],
  replaces: string,
  judge: (engine: SearchEngine, replaces: string) => EngineChoice,
): EngineChoice | undefined {
  for (let next = bench.shift(); next !== undefined; next = bench.shift()) {
    const choice = judge(next, replaces);
    if (choice.kind === "ask") return choice;
  }
  return undefined;
}

function choiceFor(
  engine: SearchEngine,
  availability: EngineAvailability = { kind: "free" },
  suspensions: Suspensions,
  replaces: string | undefined,
): EngineChoice {
  const role = replaces === undefined ? {} : { replaces };
  switch (availability.kind) {
    case "free":
      return { kind: "ask", engine, isProbe: false, ...role };
    case "due":
      if (suspensions.claimProbe(engine.id)) return { kind: "ask", engine, isProbe: true, ...role };
      return { kind: "suspended", engine, leftMs: 0, reason: availability.reason };
    case "suspended":
      return {
        kind: "suspended",
        engine,
        leftMs: availability.leftMs,
        reason: availability.reason,
      };
  }
}

function askLastResort(choice: EngineChoice): EngineChoice {
  const { engine } = choice;
  return lastResort.includes(engine.id) ? { kind: "ask", engine, isProbe: true } : choice;
}
