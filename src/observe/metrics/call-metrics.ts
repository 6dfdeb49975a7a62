import { metricToolsMax, shownNameCharsMax } from "../../base/limits.ts";
import { escapeName } from "../../base/unsafe-characters.ts";
import type {
  CallObserver,
  ObservedRequest,
  RefusedHttpRequest,
  RequestEnd,
  RequestOutcome,
} from "../../calls/call-observer.ts";
import { Buckets, byLabel, type MetricFamily, type NumberPoint, single } from "./family.ts";
import { metrics } from "./metric-list.ts";

/** Instead of names beyond the bound. */
const other = "other";
/** Instead of a tool that does not exist: its name is the client's. */
const unknown = "unknown";

type OutcomeClass = "ok" | "tool_error" | "error" | "cancelled";

/** The calls of one tool. */
interface ToolCounts {
  readonly tool: string;
  readonly server: string;
  readonly byOutcome: Map<OutcomeClass, number>;
  readonly seconds: Buckets;
}

/** Counts requests, and calls by tool, server and outcome. The sets of labels are bounded, whatever names servers and clients use. */
export class CallMetrics implements CallObserver {
  readonly #methods: ReadonlySet<string>;
  /** Counts by server and tool. */
  readonly #tools = new Map<string, ToolCounts>();
  /** All tools beyond the bound. */
  #others: ToolCounts | undefined;
  readonly #requests = new Map<string, Map<OutcomeClass, number>>();
  readonly #refused = new Map<number, number>();
  #replyBytes = 0;

  /** @param methods that exist; any other name is counted as `other` */
  constructor(methods: ReadonlySet<string>) {
    this.#methods = methods;
  }

  began(): void {}

  ended(request: ObservedRequest, { outcome, ms, bytes }: RequestEnd): void {
    const { facts, tool, server, replica } = request;
    const { method } = facts;
    const kind = classOf(outcome);
    const known = this.#methods.has(method) ? method : other;
    const outcomes = this.#requests.get(known) ?? new Map<OutcomeClass, number>();
    this.#requests.set(known, outcomes);
    increment(outcomes, kind);
    this.#replyBytes += bytes;
    // One that another replica makes is counted there.
    if (method !== "tools/call" || replica !== undefined) return;
    const counts = this.#countsOf(tool ?? unknown, server ?? "");
    increment(counts.byOutcome, kind);
    counts.seconds.add(ms / 1000);
  }

  refused({ status }: RefusedHttpRequest): void {
    increment(this.#refused, status);
  }

  families(): readonly MetricFamily[] {
    const others = this.#others === undefined ? [] : [this.#others];
    const tools = [...this.#tools.values(), ...others];
    return [
      { spec: metrics.calls, numbers: tools.flatMap(callPoints) },
      {
        spec: metrics.callSeconds,
        histograms: tools.map(({ tool, server, seconds }) => seconds.point({ tool, server })),
      },
      {
        spec: metrics.requests,
        numbers: [...this.#requests].flatMap(([method, outcomes]) =>
          [...outcomes].map(([outcome, value]) => ({ labels: { method, outcome }, value })),
        ),
      },
      single(metrics.replyBytes, this.#replyBytes),
      byLabel(
        metrics.refused,
        "status",
        [...this.#refused].map(([status, count]) => [String(status), count] as const),
      ),
    ];
  }

  #countsOf(tool: string, server: string): ToolCounts {
    const key = JSON.stringify([server, tool]);
    const known = this.#tools.get(key);
    if (known !== undefined) return known;
    if (this.#tools.size >= metricToolsMax) return (this.#others ??= noCounts(other, other));
    const counts = noCounts(shown(tool), shown(server));
    this.#tools.set(key, counts);
    return counts;
  }
}

function noCounts(tool: string, server: string): ToolCounts {
  const seconds = new Buckets(metrics.callSeconds);
  return { tool, server, byOutcome: new Map(), seconds };
}

function callPoints({ tool, server, byOutcome }: ToolCounts): readonly NumberPoint[] {
  return [...byOutcome].map(([outcome, value]) => ({ labels: { tool, server, outcome }, value }));
}

function classOf(outcome: RequestOutcome): OutcomeClass {
  return outcome === "ok" || outcome === "tool_error" || outcome === "cancelled"
    ? outcome
    : "error";
}

/** Names of tools of MCP servers are foreign text. */
function shown(name: string): string {
  return escapeName(name.slice(0, shownNameCharsMax));
}

function increment<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Counts responses of the endpoint. Statuses are those of scorpiox-code, so the set of labels is bounded. */
export class HttpMetrics {
  readonly #responses = new Map<number, number>();
  readonly #seconds = new Buckets(metrics.responseSeconds);

  /** @param startedAt on the clock of `performance.now()` */
  readonly onResponse = ({ status }: Response, startedAt: number): void => {
    this.#responses.set(status, (this.#responses.get(status) ?? 0) + 1);
    this.#seconds.add((performance.now() - startedAt) / 1000);
  };

  families(): readonly MetricFamily[] {
    const statuses = [...this.#responses].map(
      ([status, count]) => [String(status), count] as const,
    );
    return [
      byLabel(metrics.responses, "status", statuses),
      { spec: metrics.responseSeconds, histograms: [this.#seconds.point()] },
    ];
  }
}
