import type { EngineList } from "./engine-list.ts";
import type { JudgedEngine } from "./judge-settled.ts";

/**
 * Takes back the suspicion of poisoning where an engine with another index gave one of the same pages: then the words
 * are at fault, which both have corrected or translated, and not the engines. Without this one misspelt word would have
 * all of them dropped and suspended. The result does not depend on the order.
 */
export function clearSuspects(judged: readonly JudgedEngine[]): JudgedEngine[] {
  const lists = judged.flatMap(({ list, suspect }) => list ?? suspect ?? []);
  return judged.map((engine) => {
    const { report, suspect } = engine;
    if (suspect === undefined || !isConfirmed(suspect, lists)) return engine;
    const { detail: _, ...rest } = report;
    return {
      report: { ...rest, status: "ok", count: suspect.pages.length },
      verdict: { kind: "healthy" },
      list: suspect,
      suspect: undefined,
    };
  });
}

function isConfirmed(suspect: EngineList, lists: readonly EngineList[]): boolean {
  const keys = new Set(suspect.pages.map(({ key }) => key));
  return lists.some(
    ({ provider, pages }) =>
      provider !== suspect.provider && pages.some(({ key }) => keys.has(key)),
  );
}
