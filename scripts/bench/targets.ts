/** What scorpiox-code has to reach, as data. */
import type { ServerName } from "./adapters.ts";
import type { MetricId, Statistic } from "./metrics.ts";

type Direction = "at most" | "at least";

export type Bound =
  | { readonly kind: "value"; readonly is: Direction; readonly value: number }
  /** `value` and, for each unit that `per` counts, `each` more. */
  | {
      readonly kind: "value per unit";
      readonly is: "at most";
      readonly value: number;
      readonly each: number;
      readonly per: MetricId;
      readonly unitName: string;
    }
  /** A multiple of what the best of `of` reached in the same run, for the same figure. */
  | {
      readonly kind: "multiple";
      readonly is: Direction;
      readonly factor: number;
      readonly of: readonly [ServerName, ...ServerName[]];
    };

export interface Target {
  readonly figure: string;
  readonly server: ServerName;
  readonly metric: MetricId;
  /** p50 when not given. */
  readonly statistic?: Statistic;
  /** Absent for a figure that is watched but has no target. */
  readonly bound?: Bound;
  /** A wish: missing it does not fail `--check`. */
  readonly stretch?: true;
  /** What the table shows beside the figure, the best of each. */
  readonly floor?: readonly ServerName[];
  /** The least program of the same design. */
  readonly least?: ServerName;
  readonly peers?: readonly ServerName[];
  /** What the difference to the floor or the least program consists of, as far as it has been taken apart. */
  readonly difference?: string;
}

/** Both answer what needs no shell; the better one stands for the machine when the other was scheduled badly. */
export const floors = ["floor_echo", "floor_bash"] as const;

const officialSdk = ["sdk1_bun", "sdk2_bun", "sdk1_node", "sdk2_node"] as const;
const compiledSdk = ["sdk1_bun", "sdk2_bun"] as const;
const floorBash = ["floor_bash"] as const;
const otherGateways = ["supergateway", "mcp_proxy"] as const;

const start = {
  server: "scorpiox",
  metric: "initializeMs",
  floor: floors,
  least: "bare_bun",
  peers: compiledSdk,
} as const;
const cheapCall = {
  server: "scorpiox",
  metric: "cheapUs",
  floor: floors,
  least: "worker_echo",
  peers: compiledSdk,
} as const;
const shellCall = { server: "scorpiox", floor: floorBash, peers: compiledSdk } as const;
const relayedCall = {
  server: "gateway_sdk",
  metric: "relayUs",
  floor: ["sdk2_bun"],
  least: "worker_relay",
} as const;
const httpCalls = {
  server: "scorpiox",
  floor: ["floor_http"],
  least: "worker_call",
  peers: ["sdk2_bun"],
} as const;

export const targets: readonly Target[] = [
  {
    ...start,
    figure: "spawn → `initialize` answered",
    bound: { kind: "multiple", is: "at most", factor: 2, of: ["bare_bun"] },
    difference:
      "0.9 ms `node:fs` and `node:path`, 0.9 the evaluation of 87 modules, 0.7 folders and configuration, 0.7 session and gateway, 0.5 the answer",
  },
  {
    ...start,
    figure: "the same beside the Bun-compiled official SDK",
    bound: { kind: "multiple", is: "at most", factor: 1 / 3, of: compiledSdk },
  },
  { ...start, metric: "toolsListMs", figure: "spawn → `tools/list` answered" },
  {
    ...cheapCall,
    figure: "cheap call through a Worker, p50",
    bound: { kind: "multiple", is: "at most", factor: 1.25, of: ["worker_echo"] },
    difference:
      "checking the message 1.5 µs, table and job 1.5 µs, arguments, handler and result in the Worker 3 µs; the rest is handing over",
  },
  {
    ...cheapCall,
    figure: "the same, as a wish",
    bound: { kind: "multiple", is: "at most", factor: 1.1, of: ["worker_echo"] },
    stretch: true,
  },
  {
    ...cheapCall,
    least: "worker_call",
    figure: "the same beside the least program that keeps the promises of a call",
    bound: { kind: "multiple", is: "at most", factor: 1.25, of: ["worker_call"] },
    difference:
      "the gate and its stages, limits of the client, several Workers and their queue, jobs that start over",
  },
  {
    ...cheapCall,
    metric: "cheapOneUs",
    figure: "cheap call on one processor, p50",
    bound: { kind: "multiple", is: "at most", factor: 1, of: compiledSdk },
    difference:
      "from 3,000 calls on it takes 1.4 to 1.6 × the least program that keeps the promises of a call (`warm-up.ts`): more code, and thrice its garbage; before, code is not compiled yet",
  },
  {
    ...cheapCall,
    statistic: "p99",
    figure: "cheap call through a Worker, p99",
    bound: { kind: "value", is: "at most", value: 300 },
    stretch: true,
    difference: "the scheduler of a virtual machine; met on a quiet one",
  },
  {
    ...cheapCall,
    metric: "pingUs",
    least: "bare_bun",
    figure: "`ping`, p50",
    bound: { kind: "multiple", is: "at most", factor: 1.25, of: ["bare_bun"] },
    stretch: true,
    difference:
      "the scheduler puts a process with threads beside its client or on another processor, whose waking costs 45 µs (the least programs too); on one processor see below",
  },
  {
    ...cheapCall,
    metric: "pingOneUs",
    least: "bare_bun",
    figure: "`ping` on one processor, p50",
    bound: { kind: "multiple", is: "at most", factor: 1.25, of: ["bare_bun"] },
    stretch: true,
    difference: "checking the message, two eras, batches, ids in flight",
  },
  {
    ...cheapCall,
    metric: "pipelinedPerSecond",
    peers: officialSdk,
    figure: "pipelined calls a second, 64 in flight",
    bound: { kind: "multiple", is: "at least", factor: 2, of: officialSdk },
    difference:
      "one Worker computes all of it, and shares two cores with the main thread and the client",
  },
  {
    ...shellCall,
    metric: "firstShellMs",
    figure: "Bash `echo hi`, first 30 calls",
    bound: { kind: "multiple", is: "at most", factor: 1.25, of: floorBash },
    difference:
      "code that the engine has not compiled yet, which the SDK's servers have too: their first 30 take 1.3 to 1.7 × their later ones",
  },
  {
    ...shellCall,
    metric: "shellMs",
    figure: "Bash `echo hi`, warm, one after the other",
    bound: { kind: "multiple", is: "at most", factor: 0.55, of: floorBash },
    difference: "less than the floor when a shell started ahead is ready, as much as it when not",
  },
  {
    ...shellCall,
    metric: "pausedShellMs",
    figure: "Bash `echo hi` after 20 ms of nothing",
    bound: { kind: "value", is: "at most", value: 1 },
    difference: "waking idle processors with cold caches: the floor takes as long or longer",
  },
  {
    ...shellCall,
    metric: "shell16PerSecond",
    figure: "16 shell calls at once, calls a second",
    bound: { kind: "multiple", is: "at least", factor: 0.9, of: floorBash },
    difference: "waiting inside the system's spawn call, which the floor pays too",
  },
  {
    ...shellCall,
    metric: "output10MbMs",
    figure: "10 MB of output",
    bound: { kind: "multiple", is: "at most", factor: 1.2, of: floorBash },
    difference: "less than the floor: the reply holds its beginning and end",
  },
  {
    ...shellCall,
    metric: "output10MbPeakMb",
    statistic: "max",
    figure: "10 MB of output, peak resident memory",
    bound: { kind: "value", is: "at most", value: 130 },
  },
  {
    ...shellCall,
    metric: "output100MbMs",
    figure: "100 MB of output",
    bound: { kind: "value", is: "at most", value: 200 },
    difference: "on a busy machine the writer waits for a processor; the floor takes twice as long",
  },
  {
    ...shellCall,
    metric: "output100MbPeakMb",
    statistic: "max",
    figure: "100 MB of output, peak resident memory",
    bound: { kind: "value", is: "at most", value: 130 },
  },
  {
    ...shellCall,
    metric: "busyCheapUs",
    statistic: "p99",
    figure: "cheap call while 8 slow calls run, p99",
    bound: { kind: "value", is: "at most", value: 150 },
    stretch: true,
    difference: "two wake-ups of an idle core, whatever the slow calls do",
  },
  {
    server: "scorpiox",
    metric: "idlePrivateMb",
    floor: floors,
    least: "worker_echo",
    peers: compiledSdk,
    figure: "idle private memory after `tools/list`",
    bound: {
      kind: "value per unit",
      is: "at most",
      value: 8,
      each: 1.5,
      per: "liveWorkers",
      unitName: "live Worker",
    },
    difference:
      "2.7 MB the Worker (the least one: 2.1), 2.9 MB services, 2.6 MB the code of the start, 2.1 MB the runtime",
  },
  {
    server: "scorpiox",
    metric: "leftPrivateMb",
    floor: floors,
    least: "worker_echo",
    peers: compiledSdk,
    figure: "idle private memory, a minute after the last call",
    bound: { kind: "value", is: "at most", value: 9 },
    difference:
      "1.7 MB blocks of the engine's heap that calls leave partly in use; the rest as above",
  },
  {
    server: "scorpiox",
    metric: "workerPrivateMb",
    figure: "private memory of one more Worker",
  },
  {
    ...relayedCall,
    figure: "cheap call relayed to an SDK server, beside the least relay through a Worker",
    bound: { kind: "multiple", is: "at most", factor: 1.25, of: ["worker_relay"] },
    difference:
      "a least relay that keeps the promises of a call takes 1.4 × (`relay-cost.ts`); the rest is the amount of code: 8 × that relay in the first 300 calls, 1.9 × from 30,000 on (`warm-up.ts --relay`)",
  },
  {
    ...relayedCall,
    figure: "the same beside the direct call",
    bound: { kind: "multiple", is: "at most", factor: 4, of: ["sdk2_bun"] },
    difference: "the Worker: a least relay through one is above 4 × itself",
  },
  {
    ...relayedCall,
    server: "main_relay",
    figure: "a least relay without a Worker, beside the direct call",
  },
  {
    server: "gateway_http",
    metric: "relayUs",
    peers: otherGateways,
    figure: "cheap call relayed over HTTP, beside other gateways",
    bound: { kind: "multiple", is: "at most", factor: 0.5, of: otherGateways },
  },
  {
    server: "scorpiox",
    metric: "slowReaderIntact",
    floor: floorBash,
    peers: compiledSdk,
    figure: "replies that arrive whole behind a slow reader",
    bound: { kind: "value", is: "at least", value: 100 },
  },
  {
    ...httpCalls,
    metric: "httpPerSecond",
    figure: "HTTP, 64 clients, calls a second",
    bound: { kind: "multiple", is: "at least", factor: 6, of: ["sdk2_bun"] },
    difference:
      "the least program with a Worker that keeps the promises of a call reaches 5.1 to 5.3 × the SDK's",
  },
  {
    ...httpCalls,
    metric: "httpP99Ms",
    figure: "HTTP, 64 clients, p99",
    bound: { kind: "multiple", is: "at most", factor: 1, of: ["sdk2_bun"] },
  },
  {
    server: "scorpiox",
    metric: "sessionKb",
    peers: ["sdk2_bun"],
    figure: "private memory of one idle HTTP session, of 10,000 (as many as there may be)",
    bound: { kind: "value", is: "at most", value: 20 },
  },
  {
    server: "scorpiox",
    metric: "executableMb",
    least: "bare_bun",
    peers: compiledSdk,
    figure: "executable",
    bound: { kind: "value", is: "at most", value: 125 },
  },
  {
    server: "scorpiox",
    metric: "zstMb",
    figure: "download, as `.zst`",
    bound: { kind: "value", is: "at most", value: 50 },
  },
  {
    server: "scorpiox",
    metric: "gzMb",
    figure: "download, as `.gz`, where there is no zstd",
  },
  { server: "faulty", metric: "loopReplacementMs", figure: "a looping Worker ended and replaced" },
];
