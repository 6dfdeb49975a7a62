/** What one run of a flood showed. */
export interface Seen {
  /** The most memory that the server process has had. */
  readonly mb: number;
  /** From sending to answer, in ms. */
  readonly pings: readonly number[];
  /** What was wrong with the call after the flood; undefined = nothing. */
  readonly fault?: string | undefined;
}

export interface Flood {
  readonly name: string;
  readonly mbMax: number;
  readonly run: () => Promise<Seen>;
}

export const floodMbMax = 250;
export const pagesMbMax = 600;
export const mib = 1024 * 1024;
