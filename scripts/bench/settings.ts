/** How often each thing is measured. */
export interface Settings {
  readonly coldStarts: number;
  readonly memoryStarts: number;
  /** Servers of each kind that are left alone for `idleMs`. */
  readonly idleStarts: number;
  readonly idleMs: number;
  /** Packing as a release does takes minutes. */
  readonly packsExecutable: boolean;
  readonly cheapCalls: number;
  readonly pipelinedCalls: number;
  readonly shellCalls: number;
  /** Fresh servers whose first calls are measured. */
  readonly shellStarts: number;
  readonly pausedShellCalls: number;
  readonly output1MbCalls: number;
  readonly output10MbCalls: number;
  readonly output100MbCalls: number;
  readonly bigRequests: number;
  /** In each round, for each server. */
  readonly httpCalls: number;
  readonly httpRounds: number;
  readonly idleSessions: number;
  readonly replacements: number;
  /** Interleaved rounds that the calls of a phase are spread over. */
  readonly rounds: number;
}

export const fullSettings: Settings = {
  coldStarts: 21,
  memoryStarts: 3,
  idleStarts: 3,
  idleMs: 60_000,
  packsExecutable: true,
  cheapCalls: 3000,
  pipelinedCalls: 5000,
  shellCalls: 1000,
  shellStarts: 5,
  pausedShellCalls: 100,
  output1MbCalls: 7,
  output10MbCalls: 5,
  output100MbCalls: 3,
  bigRequests: 5,
  httpCalls: 30_000,
  httpRounds: 9,
  idleSessions: 10_000,
  replacements: 9,
  rounds: 20,
};

/** Enough to see that everything works; its figures are not worth quoting. */
export const quickSettings: Settings = {
  coldStarts: 3,
  memoryStarts: 1,
  idleStarts: 1,
  idleMs: 1000,
  packsExecutable: false,
  cheapCalls: 200,
  pipelinedCalls: 500,
  shellCalls: 20,
  shellStarts: 1,
  pausedShellCalls: 10,
  output1MbCalls: 2,
  output10MbCalls: 1,
  output100MbCalls: 1,
  bigRequests: 1,
  httpCalls: 2000,
  httpRounds: 2,
  idleSessions: 500,
  replacements: 2,
  rounds: 2,
};
