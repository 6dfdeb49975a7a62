import { metaKeys, modern } from "./messages.ts";

/** What must come of a request. */
export type Expectation =
  | "result"
  /** An error with this code. */
  | number
  /** Cancelled while it runs: no reply. */
  | "silence"
  /** Cancelled as soon as it was sent: one reply or none. */
  | "either";

export interface PlannedRequest {
  readonly isModern: boolean;
  readonly id: string | number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly expects: Expectation;
}

type Recipe = readonly [
  share: number,
  isModern: boolean,
  method: string,
  params: Readonly<Record<string, unknown>>,
  expects: Expectation,
];

const list = { name: "ListBgTasks", arguments: {} };
const badEnvelope = { _meta: { [metaKeys.version]: "2026-07-28" } };

function recipes(marker: string): readonly Recipe[] {
  const sleep = { name: "Bash", arguments: { command: `sleep ${marker}`, timeout: 600_000 } };
  const echo = { name: "Bash", arguments: { command: "echo mixed" } };
  return [
    [12, false, "ping", {}, "result"],
    [12, false, "tools/list", {}, "result"],
    [12, true, "tools/list", modern(), "result"],
    [10, true, "server/discover", modern(), "result"],
    [10, false, "tools/call", list, "result"],
    [10, true, "tools/call", modern(list), "result"],
    [4, true, "ping", modern(), -32601],
    [4, false, "no/such", {}, -32601],
    [4, true, "tools/call", modern({ name: "Nope", arguments: {} }), -32602],
    [4, false, "tools/call", { name: "Nope", arguments: {} }, -32602],
    [3, true, "tools/list", badEnvelope, -32602],
    [3, false, "tools/call", list, "either"],
    [3, true, "tools/call", modern(list), "either"],
    [2, false, "tools/call", echo, "result"],
    [2, true, "tools/call", modern(echo), "result"],
    [2, false, "tools/call", sleep, "silence"],
    [2, true, "tools/call", modern(sleep), "silence"],
    [1, true, "tools/call", modern(sleep), "either"],
  ];
}

/**
 * Requests of both eras in a random order that the seed fixes. Every number is an id twice: as itself and as a
 * string. `marker` is in the command line of what must be gone in the end.
 */
export function mixedPlan(count: number, marker: string, seed: number): readonly PlannedRequest[] {
  const all = recipes(marker);
  const total = all.reduce((sum, [share]) => sum + share, 0);
  const random = randomNumbers(seed);
  return Array.from({ length: count }, (_, index) => {
    let place = random() * total;
    const recipe = all.find(([share]) => (place -= share) < 0) ?? all[0];
    if (recipe === undefined) throw new Error("there are no recipes");
    const [, isModern, method, params, expects] = recipe;
    const number = Math.floor(index / 2);
    return { isModern, id: index % 2 === 0 ? number : String(number), method, params, expects };
  });
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
