import { product } from "../../base/product.ts";
import type { StartUp } from "../../cli/start-up.ts";
import type { ServerFigures } from "../../observe/metrics/gauges.ts";
import type { EndpointFigures } from "../../server/http/http-endpoint.ts";
import type { UpstreamSnapshot } from "../../upstream/snapshot.ts";
import { hubFiguresOf } from "../hub-look.ts";
import type { Application } from "../application.ts";
import type { PartsHealth } from "./parts-health.ts";

export interface FiguresParts {
  readonly start: StartUp;
  readonly state: PartsHealth;
  readonly app: Pick<Application, "toolFigures" | "upstreams">;
}

/** The figures of the access log and of traces, where there are any. */
type WatcherFigures = Pick<ServerFigures, "logLost" | "spans">;

/** Collects the state of the server in numbers, from all its parts. */
export class FiguresOfServer {
  readonly #parts: FiguresParts;
  readonly #hub: ReturnType<typeof hubFiguresOf>;
  /** The endpoint whose state is shown. */
  endpoint: { readonly figures: EndpointFigures } | undefined;

  constructor(parts: FiguresParts) {
    this.#parts = parts;
    this.#hub = hubFiguresOf(parts.start);
  }

  /** Never rejects. */
  async now(watchers: WatcherFigures): Promise<ServerFigures> {
    const { state, app } = this.#parts;
    const none = { sessions: 0, requestsInFlight: 0, eventChars: 0 };
    return {
      ...(this.endpoint?.figures ?? none),
      isReady: state.readiness.word === "ready",
      tools: app.toolFigures,
      upstream: statesIn(app.upstreams.snapshot),
      workersLost: state.workersLost,
      ...watchers,
      hub: await this.#hub?.(),
    };
  }

  /** The figures as a JSON object, with the names of MCP servers. Never rejects. */
  async status(watchers: WatcherFigures): Promise<Readonly<Record<string, unknown>>> {
    const { state, app } = this.#parts;
    const figures = await this.now(watchers);
    const servers = app.upstreams.snapshot?.servers ?? [];
    return {
      version: product.version,
      startedAt: new Date(performance.timeOrigin).toISOString(),
      ready: state.readiness.word,
      parts: state.readiness.parts,
      ...figures,
      upstream: servers.map(({ name, state: now, reason }) => ({ name, state: now, reason })),
      workersLost: Object.fromEntries(figures.workersLost),
      spans: figures.spans && Object.fromEntries(figures.spans),
    };
  }
}

function statesIn(snapshot: UpstreamSnapshot | undefined): ReadonlyMap<string, number> {
  const states = new Map<string, number>();
  for (const { state } of snapshot?.servers ?? []) {
    states.set(state, (states.get(state) ?? 0) + 1);
  }
  return states;
}
