import { upstreamInstallAgainMs } from "../base/upstream-limits.ts";
import type { Isolation } from "./config/server-entry.ts";
import type { ServerCatalogue } from "./connect/connection.ts";

/** The status of a configured server (docs/gateway.md#states). */
export type ServerState =
  | "disabled"
  /** Found in a project, not approved by the user. */
  | "untrusted"
  /** A variable or secret that its entry names is not set. */
  | "needs_config"
  | "needs_auth"
  /** Known from an earlier run; started by the first call that needs it. */
  | "cached"
  /** Its package is being fetched. */
  | "installing"
  | "starting"
  | "ready"
  /** Usable, but some of its lists could not be read. */
  | "degraded"
  | "backoff"
  | "failed"
  | "stopped";

/** Its tools may be there soon. */
export function isComing(state: ServerState): boolean {
  return state === "starting" || state === "installing";
}

/** A package that is being fetched. */
export interface Installing {
  /** As its entry names it. */
  readonly what: string;
  /** The program that fetches it: `npx`. */
  readonly runner: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** The state of one connection. Times are on the clock of the arguments `now`. */
export type ConnectionState =
  /** Not wanted so far, or stopped because it was idle. */
  | { readonly kind: "idle" }
  | {
      readonly kind: "starting";
      /** Its package is being fetched. */
      readonly installing?: Installing;
    }
  | { readonly kind: "ready" }
  /** It failed. `retryAt` undefined: only a call tries it again. */
  | {
      readonly kind: "down";
      readonly as: "backoff" | "failed" | "needs_auth";
      readonly reason: string;
      readonly retryAt: number | undefined;
      /** It has not failed: another hub runs its server. */
      readonly isHeld?: true;
    }
  /** Nobody uses it any more. */
  | { readonly kind: "stopped" };

/** The facts of `mcp status --json` for one server. Secrets are redacted in all texts. */
export interface ServerInfo {
  readonly name: string;
  readonly state: ServerState;
  /** Why it is not `ready`, and what to do; null when there is no such reason. */
  readonly reason: string | null;
  readonly transport: "stdio" | "http";
  readonly scope: string;
  readonly pid: number | null;
  readonly era: "legacy" | "modern" | null;
  readonly protocolVersion: string | null;
  readonly serverVersion: string | null;
  readonly tools: number;
  readonly resources: number;
  readonly prompts: number;
  /** Tools that may not be used, by reason. */
  readonly blocked: { readonly pending: number; readonly changed: number; readonly denied: number };
  readonly starts: number;
  readonly calls: number;
  readonly failures: number;
  readonly resultBytes: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** Milliseconds until the next attempt; null when none is planned. */
  readonly retryInMs: number | null;
  /** Notifications, log lines and late answers that were dropped. */
  readonly dropped: number;
  /** In the state `installing` only. */
  readonly installing?: Installing;
  /** The command line that started it, where it differs from the entry's: without the runner of its package. */
  readonly startedAs?: string;
  /** Which clients share its connections; absent before it is wanted. */
  readonly isolation?: Isolation;
  /** The last lines of its stderr. */
  readonly stderr: readonly string[];
}

/** One step of a start. */
export interface TrialStep {
  readonly name: "install" | "start" | "negotiate" | "list";
  readonly ms: number;
  readonly isDone: boolean;
}

/** The result of a trial start of a server. */
export interface TriedServer {
  readonly info: ServerInfo;
  /** Its lists were read; problems with them are in `info.reason`. */
  readonly isUsable: boolean;
  /**
   * The steps that began, in order; a server over HTTP has no `start`, and one whose package is present has no
   * `install`.
   */
  readonly steps: readonly TrialStep[];
}

/** The progress of an installation for a model: the time so far, and when to try again. */
export function installingText(installing: Installing): string {
  return `${installingFact(installing)} Try again in ${upstreamInstallAgainMs / 1000} s.`;
}

/** The progress of an installation, for people. */
export function installingFact({ what, runner, since }: Installing): string {
  const seconds = Math.max(0, Math.round((Date.now() - since) / 1000));
  return `${what} is being installed with ${runner} (${seconds} s so far).`;
}

/** The result of fetching a server's package. */
export type InstallOutcome =
  | {
      readonly kind: "installed";
      /** False: it was on this machine already. */
      readonly isNew: boolean;
      /** The command line that will start it, where it differs from the entry's. */
      readonly startedAs?: string;
    }
  | { readonly kind: "failed"; readonly reason: string };

/** The result of reading a server's whole offer once. */
export type AskedCatalogue =
  | {
      readonly kind: "catalogue";
      readonly catalogue: ServerCatalogue;
      /** The granted scopes of the login; absent for a server without one. */
      readonly scopes?: readonly string[];
    }
  /** `reason` is a sentence: the failure and the advice. */
  | { readonly kind: "unreachable"; readonly reason: string };
