import type { StateScope } from "../../base/server-events.ts";
import type { KeptName } from "../../commands/sandbox/stand-ins.ts";
import type { KillReply, ReadReply, TaskSummary } from "../../tools/services.ts";

/**
 * The messages about kept tasks between a client process and a hub, in the envelopes of `base/worker-channel/`. Their version is
 * their own and not that of the build: members are added, and none is taken away or changes its meaning for two minor releases,
 * so that each side ignores the members that it does not know.
 */
export const keptMessagesVersion = 1;

/** The first message on a link. All that follows is about this workspace. */
export interface KeptOptions {
  readonly version: number;
  readonly scope: StateScope;
  /** The name that the MCP client gives itself: outside text. */
  readonly clientName?: string;
}

/** Everything that must exist as long as a confined command, and be removed after it. */
export interface KeptHoldings {
  /** Its folder for temporary files. */
  readonly tmpDir: string;
  /** Empty files and folders that it must not create. */
  readonly standIns: readonly KeptName[];
}

/** The bounds of a command, prepared by the client behind its gate. */
export interface KeptConfinement {
  /** The program that confines the command, with its arguments. */
  readonly wrapper: readonly string[];
  /** Base64 of its input on descriptor 3. */
  readonly data?: string;
  /** See `Confinement`. */
  readonly isOverseen: boolean;
  readonly notes: readonly string[];
  readonly holdings?: KeptHoldings;
}

/** A command that is ready to be started. */
export interface KeptLaunch {
  /** A shell, its arguments and the command text. */
  readonly argv: readonly string[];
  readonly commandText: string;
  readonly cwd: string;
  /** The environment of the command, in full. Never written down. */
  readonly env: Readonly<Record<string, string>>;
  /** The umask of the client process. */
  readonly umask: number;
  /** Absent: the user wants no sandbox. */
  readonly confinement?: KeptConfinement;
  /** Hours from its start to its end; 0 = no end. */
  readonly keepHours: number;
  /** Hooks are on; the project whose hooks run too, once they are approved. */
  readonly hooks?: { readonly projectDir: string | null };
  /** The audit log of the client is on, and its commands are logged in words. */
  readonly audit?: { readonly hasCommands: boolean };
}

export interface KeptStarted {
  readonly task: TaskSummary;
  /** Where the hub cannot outlive the process that started it: that process, for people. */
  readonly endsWith?: string;
}

export interface KeptRead {
  readonly taskId: number;
  /** Absolute offset; null = where this client's last read ended. */
  readonly from: number | null;
  readonly waitBeyond: number | null;
  readonly waitMs: number;
}

export interface KeptKill {
  readonly taskId: number;
  readonly by: "killed" | "user";
}

export type KeptCall =
  | { readonly method: "start"; readonly request: KeptLaunch }
  | { readonly method: "list" }
  | { readonly method: "read"; readonly request: KeptRead }
  | { readonly method: "kill"; readonly request: KeptKill };

export interface KeptReplies {
  readonly start: KeptStarted;
  readonly list: readonly TaskSummary[];
  readonly read: ReadReply;
  readonly kill: KillReply;
}
