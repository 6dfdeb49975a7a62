import type { FlagTable } from "./flags.ts";

/** Of every command that prints data. */
export const jsonFlag: FlagTable = {
  json: { kind: "switch", help: "Print JSON." },
};
