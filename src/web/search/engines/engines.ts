import type { EngineId, SearchEngine } from "../engine.ts";

/** In the fixed order of the contract. */
export const defaultEngines: readonly SearchEngine[] = [];

/** Who takes the place of a suspended default, in this order. */
export const benchEngines: readonly SearchEngine[] = [];

const allEngines: readonly SearchEngine[] = [...defaultEngines, ...benchEngines];

export function engineOf(id: EngineId): SearchEngine | undefined {
  return allEngines.find((engine) => engine.id === id);
}
