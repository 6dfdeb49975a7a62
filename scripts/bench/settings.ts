/** How often each thing is measured. */
export interface Settings {
  readonly coldStarts: number;
  readonly memoryStarts: number;
  readonly cheapCalls: number;
  readonly pipelinedCalls: number;
  readonly shellCalls: number;
  readonly output1MbCalls: number;
  readonly output10MbCalls: number;
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
  cheapCalls: 3000,
  pipelinedCalls: 5000,
  shellCalls: 200,
  output1MbCalls: 7,
  output10MbCalls: 5,
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
  cheapCalls: 200,
  pipelinedCalls: 500,
  shellCalls: 20,
  output1MbCalls: 2,
  output10MbCalls: 1,
  bigRequests: 1,
  httpCalls: 2000,
  httpRounds: 2,
  idleSessions: 500,
  replacements: 2,
  rounds: 2,
};
