import type { Command } from "./command.ts";

/** A line of the command list. The command itself is loaded when it runs, so that a start loads one. */
export interface CommandListing {
  /** One word or two. */
  readonly name: string;
  /** An alias that people type, of as many words. */
  readonly alias?: string;
  readonly summary: string;
  load(): Promise<Command>;
}
