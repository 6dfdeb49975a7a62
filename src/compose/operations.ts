import type { Environment } from "../base/values.ts";
import type { CallObserver } from "../calls/call-observer.ts";
import type { HttpSettings } from "../cli/http-settings.ts";
import { takeSecret } from "../config/take-secret.ts";
import type { AccessLog } from "../observe/log/access-log.ts";
import type { CallMetrics } from "../observe/metrics/call-metrics.ts";
import type { MetricFamily } from "../observe/metrics/family.ts";
import { gaugeFamilies } from "../observe/metrics/gauges.ts";
import type { HttpMetrics } from "../observe/metrics/http-metrics.ts";
import { prometheusText } from "../observe/metrics/prometheus-text.ts";
import { Observers } from "../observe/observers.ts";
import type { OtlpExporter } from "../observe/otlp/otlp-exporter.ts";
import { OperatorPages } from "../server/http/operator-pages.ts";
import { legacyMethods, modernMethods } from "../server/methods.ts";
import { type FiguresParts, FiguresOfServer } from "./server-figures.ts";

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
    const [{ AccessLog: Log }, { AppendFile, StdoutFile }] = await Promise.all([
      import("../observe/log/access-log.ts"),
      import("../observe/log/log-files.ts"),
    ]);
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
    const { readOtlpSettings } = await import("../observe/otlp/otlp-settings.ts");
    const headers = takeSecret("OTLP_HEADERS");
    const env = { ...this.#parts.env, ...(headers && { OTEL_EXPORTER_OTLP_HEADERS: headers }) };
    const otlp = readOtlpSettings(settings.otlpUrl, env);
    if (otlp === undefined) return;
    const { OtlpExporter: Exporter } = await import("../observe/otlp/otlp-exporter.ts");
    this.#exporter = new Exporter({ settings: otlp, families: () => this.#families(), warn });
  }

  async #openMetrics(): Promise<void> {
    const [{ CallMetrics: Calls }, { HttpMetrics: Http }] = await Promise.all([
      import("../observe/metrics/call-metrics.ts"),
      import("../observe/metrics/http-metrics.ts"),
    ]);
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
