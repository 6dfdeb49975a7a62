import { httpIdleSMax } from "../../base/limits.ts";
import type { Environment } from "../../base/values.ts";
import type {
  CallObserver,
  ObservedRequest,
  RefusedHttpRequest,
  RequestEnd,
} from "../../calls/call-observer.ts";
import type { HttpSettings } from "../../cli/http-settings.ts";
import { takeSecret } from "../../config/take-secret.ts";
import type { AccessLog } from "../../observe/log/access-log.ts";
import type { CallMetrics, HttpMetrics } from "../../observe/metrics/call-metrics.ts";
import { type MetricFamily, prometheusText } from "../../observe/metrics/family.ts";
import { gaugeFamilies } from "../../observe/metrics/gauges.ts";
import type { OtlpExporter } from "../../observe/otlp/otlp-exporter.ts";
import { Health, type HealthParts, OperatorPages } from "../../server/http/operator-pages.ts";
import { refusal } from "../../server/http/responses.ts";
import { legacyMethods, modernMethods } from "../../server/methods.ts";
import { listenFault } from "./listening.ts";
import { FiguresOfServer, type FiguresParts } from "./server-figures.ts";

export interface OperationsParts extends FiguresParts {
  readonly settings: HttpSettings;
  readonly env: Environment;
  readonly warn: (message: string) => void;
}

/** The access log, metrics and traces of a server: as much of them as is configured. */
export class Operations implements AsyncDisposable {
  readonly pages = new OperatorPages({
    metrics: async () => prometheusText(await this.#families()),
    status: () => this.#figures.status(this.#watcherFigures),
  });
  readonly #parts: OperationsParts;
  readonly #figures: FiguresOfServer;
  #log: AccessLog | undefined;
  #calls: CallMetrics | undefined;
  #http: HttpMetrics | undefined;
  #exporter: OtlpExporter | undefined;

  private constructor(parts: OperationsParts) {
    this.#parts = parts;
    this.#figures = new FiguresOfServer(parts);
  }

  /** @throws AppError `usage` or `system` for a log that cannot be written, or a URL that no collector has */
  static async open(parts: OperationsParts): Promise<Operations> {
    const made = new Operations(parts);
    await made.#openLog();
    await made.#openExporter();
    if (parts.settings.metrics !== undefined || made.#exporter !== undefined) {
      await made.#openMetrics();
    }
    return made;
  }

  get observer(): CallObserver {
    // The tracer first: the log has the ids that it makes.
    const all = [this.#exporter?.recorder, this.#calls, this.#log];
    return new Observers(all.filter((each) => each !== undefined));
  }

  get onResponse(): HttpMetrics["onResponse"] | undefined {
    return this.#http?.onResponse;
  }

  /** The endpoint whose state is shown. */
  attach(endpoint: FiguresOfServer["endpoint"]): void {
    this.#figures.endpoint = endpoint;
  }

  /** Listens where the metrics have an address of their own. @throws AppError `system` */
  listen(health: HealthParts): Bun.Server<undefined> | undefined {
    const { metrics } = this.#parts.settings;
    if (metrics === undefined || metrics === "here") return undefined;
    return openMetricsListener({ ...metrics, pages: this.pages, health });
  }

  /** Writes and sends the rest. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([
      this.#log?.[Symbol.asyncDispose](),
      this.#exporter?.[Symbol.asyncDispose](),
    ]);
  }

  async #openLog(): Promise<void> {
    const { settings, warn } = this.#parts;
    const { accessLog: path } = settings;
    if (path === undefined) return;
    const {
      AccessLog: Log,
      AppendFile,
      StdoutFile,
    } = await import("../../observe/log/access-log.ts");
    if (path === "-") {
      this.#log = new Log(new StdoutFile(), warn);
      return;
    }
    const file = new AppendFile(path);
    await file.check();
    this.#log = new Log(file, warn);
  }

  async #openExporter(): Promise<void> {
    const { settings, warn } = this.#parts;
    const { readOtlpSettings } = await import("../../observe/otlp/otlp-settings.ts");
    const headers = takeSecret("OTLP_HEADERS");
    const env = { ...this.#parts.env, ...(headers && { OTEL_EXPORTER_OTLP_HEADERS: headers }) };
    const otlp = readOtlpSettings(settings.otlpUrl, env);
    if (otlp === undefined) return;
    const { OtlpExporter: Exporter } = await import("../../observe/otlp/otlp-exporter.ts");
    this.#exporter = new Exporter({ settings: otlp, families: () => this.#families(), warn });
  }

  async #openMetrics(): Promise<void> {
    const { CallMetrics: Calls, HttpMetrics: Http } =
      await import("../../observe/metrics/call-metrics.ts");
    this.#calls = new Calls(new Set([...legacyMethods.keys(), ...modernMethods.keys()]));
    this.#http = new Http();
  }

  async #families(): Promise<readonly MetricFamily[]> {
    return [
      ...(this.#calls?.families() ?? []),
      ...(this.#http?.families() ?? []),
      ...gaugeFamilies(await this.#figures.now(this.#watcherFigures)),
    ];
  }

  get #watcherFigures(): Parameters<FiguresOfServer["now"]>[0] {
    return { logLost: this.#log?.lost, spans: this.#exporter?.spanCounts };
  }
}

/** Several observers as one, in their order. */
class Observers implements CallObserver {
  readonly #all: readonly CallObserver[];

  constructor(all: readonly CallObserver[]) {
    this.#all = all;
  }

  refused(request: RefusedHttpRequest): void {
    for (const observer of this.#all) observer.refused(request);
  }

  began(request: ObservedRequest): void {
    for (const observer of this.#all) observer.began(request);
  }

  ended(request: ObservedRequest, end: RequestEnd): void {
    for (const observer of this.#all) observer.ended(request, end);
  }
}

interface ListenerParts {
  readonly host: string;
  readonly port: number;
  readonly pages: OperatorPages;
  readonly health: HealthParts;
}

/** `/metrics`, `/status` and health at an address of their own, without tokens: every client that reaches it may see them. @throws AppError `system` */
function openMetricsListener({ host, port, pages, health }: ListenerParts): Bun.Server<undefined> {
  const probes = new Health(health);
  const fetch = (request: Request): Response | Promise<Response> => {
    const path = URL.parse(request.url)?.pathname ?? "";
    const probed = probes.answer(path, request);
    if (probed !== undefined) return probed;
    const refused = health.guard.check(request);
    if (refused !== undefined) return refused;
    if (pages.has(path)) return pages.answer(path, request);
    return refusal(404, "Here are /metrics, /status, /healthz and /readyz only.");
  };
  try {
    return Bun.serve({
      hostname: host,
      port,
      fetch,
      idleTimeout: httpIdleSMax,
      maxRequestBodySize: 0,
      development: false,
      reusePort: false,
    });
  } catch (error) {
    throw listenFault(`${host}:${port}`, error, "--metrics");
  }
}
