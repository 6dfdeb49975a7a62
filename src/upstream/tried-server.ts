import type { ServerInfo } from "./server-state.ts";

/** One step of a start. */
export interface TrialStep {
  readonly name: "install" | "start" | "negotiate" | "list";
  readonly ms: number;
  readonly isDone: boolean;
}

/** How starting a server went. */
export interface TriedServer {
  readonly info: ServerInfo;
  /** Its lists were read; what of them is wrong is in `info.reason`. */
  readonly isUsable: boolean;
  /** Those that were begun, in their order; a server over HTTP has no `start`, and one whose package is there no `install`. */
  readonly steps: readonly TrialStep[];
}
