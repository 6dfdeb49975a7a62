import type { SearchEngine } from "./engine.ts";
import type { Standing } from "./suspension-book.ts";

/** The engines that may be asked, by role. */
export interface EngineRoster {
  /** The defaults, or those that the user chose; each has a slot. */
  readonly slots: readonly SearchEngine[];
  /** The engines that replace suspended ones; empty when the user chose. */
  readonly bench: readonly SearchEngine[];
  /** Asked besides; it takes no slot. */
  readonly extras: readonly SearchEngine[];
}

/** The part of one engine in one search. */
export type Choice =
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
  standings(): ReadonlyMap<string, Standing>;
  claimProbe(engine: string): boolean;
}

/** Two official interfaces that answer nearly always: asked when everybody is suspended. */
const lastResort: readonly string[] = ["wikipedia", "mwmbl"];

/** The engines to ask, in the fixed order; each suspended engine is followed by the one that takes its place. */
export function chooseEngines(roster: EngineRoster, suspensions: Suspensions): Choice[] {
  const standings = suspensions.standings();
  const judge = (engine: SearchEngine, replaces?: string): Choice =>
    choiceFor(engine, standings.get(engine.id), suspensions, replaces);
  const bench = [...roster.bench];
  const slots = roster.slots.flatMap((engine): Choice[] => {
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
  judge: (engine: SearchEngine, replaces: string) => Choice,
): Choice | undefined {
  for (let next = bench.shift(); next !== undefined; next = bench.shift()) {
    const choice = judge(next, replaces);
    if (choice.kind === "ask") return choice;
  }
  return undefined;
}

function choiceFor(
  engine: SearchEngine,
  standing: Standing = { kind: "free" },
  suspensions: Suspensions,
  replaces: string | undefined,
): Choice {
  const role = replaces === undefined ? {} : { replaces };
  switch (standing.kind) {
    case "free":
      return { kind: "ask", engine, isProbe: false, ...role };
    case "due":
      if (suspensions.claimProbe(engine.id)) return { kind: "ask", engine, isProbe: true, ...role };
      return { kind: "suspended", engine, leftMs: 0, reason: standing.reason };
    case "suspended":
      return { kind: "suspended", engine, leftMs: standing.leftMs, reason: standing.reason };
  }
}

function askLastResort(choice: Choice): Choice {
  const { engine } = choice;
  return lastResort.includes(engine.id) ? { kind: "ask", engine, isProbe: true } : choice;
}
