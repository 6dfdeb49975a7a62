import type { Command } from "./command.ts";

/** A line of the command list. The command itself is loaded when it runs, so that a start loads one. */
export interface CommandListing {
  /** One word or two. */
  readonly name: string;
  /** What people type in its place, of as many words. */
  readonly alias?: string;
  readonly summary: string;
  load(): Promise<Command>;
}
