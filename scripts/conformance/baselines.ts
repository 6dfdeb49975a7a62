import type { RunName } from "./expected.ts";

/** Checks passed of checks made; a server that stops early is asked fewer. */
type Figure = `${number}/${number}`;

export interface Baseline {
  /** Absent: not measured. */
  readonly sdk1?: Figure;
  readonly sdk2?: Figure;
}

/**
 * The official TypeScript SDKs under the same version of the suite: v1 (1.29.0 and 1.32.2) with the suite's own
 * example server, v2 (2.0.0 and 2.4.0) with its everything server. Both have session routing and host checks
 * written by hand in those servers. As a client, v2 (2.4.0) with the client that its repository has for the suite.
 */
export const sdkBaselines: Partial<Readonly<Record<RunName, Baseline>>> = {
  "2025-03-26": { sdk1: "3/3", sdk2: "3/3" },
  "2025-06-18": { sdk1: "56/56", sdk2: "56/56" },
  "2025-11-25": { sdk1: "84/84", sdk2: "84/84" },
  "2026-07-28": { sdk1: "125/142", sdk2: "152/152" },
  "requirements-2025-11-25": { sdk1: "84/84", sdk2: "84/84" },
  "requirements-2026-07-28": { sdk1: "130/184", sdk2: "164/194" },
  tasks: { sdk2: "12/42" },
  "client-2025-03-26": { sdk2: "13/13" },
  "client-2025-06-18": { sdk2: "63/63" },
  "client-2025-11-25": { sdk2: "259/259" },
  "client-2026-07-28": { sdk2: "409/409" },
  "client-extensions": { sdk2: "22/23" },
};
