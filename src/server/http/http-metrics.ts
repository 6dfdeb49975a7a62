/** Upper bounds of the duration buckets in seconds: from a cheap call to the longest command. */
const bucketBounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10, 60, 600] as const;

/** The sources of the figures. */
export interface HttpGauges {
  readonly sessions: number;
  readonly requestsInFlight: number;
  /** Absent while the server uses no hub. */
  readonly hub?: HubGauges | undefined;
}

/** Figures of the process that all clients of the user share. */
export interface HubGauges {
  readonly clients: number;
  readonly servers: number;
  /** That are running. */
  readonly keptTasks: number;
}

/** Counts for `/metrics`, in the text format of Prometheus (version 0.0.4). Names and values only, nothing of a request. */
export class HttpMetrics {
  readonly #responses = new Map<number, number>();
  readonly #buckets: number[] = bucketBounds.map(() => 0);
  #secondsSum = 0;
  #count = 0;

  /** Counts a response when its head is ready; a stream goes on after that. */
  observe(response: Response | Promise<Response>): Response | Promise<Response> {
    const startedAt = performance.now();
    if (!(response instanceof Promise)) return this.#observed(response, startedAt);
    return response.then((settled) => this.#observed(settled, startedAt));
  }

  text({ sessions, requestsInFlight, hub }: HttpGauges): string {
    const { user, system } = process.cpuUsage();
    const startSeconds = (performance.timeOrigin / 1000).toFixed(3);
    return [
      ...family(
        "scorpiox_http_responses_total",
        "counter",
        "Responses by status.",
        this.#byStatus(),
      ),
      ...this.#histogram("scorpiox_http_response_seconds"),
      ...family("scorpiox_http_sessions", "gauge", "Open sessions.", [["", sessions]]),
      ...family("scorpiox_http_requests_in_flight", "gauge", "Requests in progress.", [
        ["", requestsInFlight],
      ]),
      ...family("process_resident_memory_bytes", "gauge", "Resident memory.", [
        ["", process.memoryUsage.rss()],
      ]),
      ...family("process_cpu_seconds_total", "counter", "Processor time.", [
        ["", (user + system) / 1e6],
      ]),
      ...family("process_start_time_seconds", "gauge", "Start, in seconds since 1970.", [
        ["", Number(startSeconds)],
      ]),
      ...(hub === undefined ? [] : hubFamilies(hub)),
      "",
    ].join("\n");
  }

  #observed(response: Response, startedAt: number): Response {
    const seconds = (performance.now() - startedAt) / 1000;
    this.#responses.set(response.status, (this.#responses.get(response.status) ?? 0) + 1);
    this.#secondsSum += seconds;
    this.#count += 1;
    const bucket = bucketBounds.findIndex((bound) => seconds <= bound);
    if (bucket !== -1) this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    return response;
  }

  #byStatus(): (readonly [suffix: string, value: number])[] {
    return [...this.#responses].map(([status, count]) => [`{status="${status}"}`, count]);
  }

  #histogram(name: string): string[] {
    let sum = 0;
    const buckets = bucketBounds.map((bound, index) => {
      sum += this.#buckets[index] ?? 0;
      return [`_bucket{le="${bound}"}`, sum] as const;
    });
    return family(name, "histogram", "Time to the head of a response.", [
      ...buckets,
      ['_bucket{le="+Inf"}', this.#count],
      ["_sum", this.#secondsSum],
      ["_count", this.#count],
    ]);
  }
}

function hubFamilies({ clients, servers, keptTasks }: HubGauges): string[] {
  return [
    ...family("scorpiox_hub_clients", "gauge", "Processes that use the hub.", [["", clients]]),
    ...family("scorpiox_hub_servers", "gauge", "MCP servers that the hub runs.", [["", servers]]),
    ...family("scorpiox_hub_kept_tasks", "gauge", "Kept tasks that are running.", [
      ["", keptTasks],
    ]),
  ];
}

function family(
  name: string,
  type: "counter" | "gauge" | "histogram",
  help: string,
  values: readonly (readonly [suffix: string, value: number])[],
): string[] {
  const lines = values.map(([suffix, value]) => `${name}${suffix} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}
