/** The description of a metric, for scrapers and for the documentation. */
export interface MetricSpec {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** One sentence without line ends. */
  readonly help: string;
  /** The names of its labels. */
  readonly labels?: readonly string[];
  /** For a histogram: the upper bounds of its buckets, rising. */
  readonly bounds?: readonly number[];
}

/** Upper bounds of durations in seconds: from a cheap call to the longest command. */
const secondsBounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10, 60, 600] as const;

function metric(
  name: string,
  type: MetricSpec["type"],
  help: string,
  labels: readonly string[] = [],
): MetricSpec {
  return type === "histogram"
    ? { name, type, help, labels, bounds: secondsBounds }
    : { name, type, help, labels };
}

/** All metrics, in the order in which they are listed. */
export const metrics = {
  calls: metric("scorpiox_calls_total", "counter", "Tool calls by tool, MCP server and outcome.", [
    "tool",
    "server",
    "outcome",
  ]),
  callSeconds: metric("scorpiox_call_seconds", "histogram", "Duration of tool calls.", [
    "tool",
    "server",
  ]),
  requests: metric("scorpiox_requests_total", "counter", "MCP requests by method and outcome.", [
    "method",
    "outcome",
  ]),
  replyBytes: metric("scorpiox_reply_bytes_total", "counter", "Bytes of replies to MCP requests."),
  refused: metric(
    "scorpiox_http_refused_total",
    "counter",
    "HTTP requests that were refused before they reached a method, by status.",
    ["status"],
  ),
  responses: metric("scorpiox_http_responses_total", "counter", "Responses by status.", ["status"]),
  responseSeconds: metric(
    "scorpiox_http_response_seconds",
    "histogram",
    "Time to the head of a response.",
  ),
  sessions: metric("scorpiox_http_sessions", "gauge", "Open sessions."),
  inFlight: metric("scorpiox_http_requests_in_flight", "gauge", "Requests in progress."),
  eventChars: metric(
    "scorpiox_event_memory_chars",
    "gauge",
    "Characters of events that are kept for clients that come back.",
  ),
  ready: metric("scorpiox_ready", "gauge", "1 while /readyz says ready, else 0."),
  workers: metric("scorpiox_tool_workers", "gauge", "Workers for tools."),
  queue: metric("scorpiox_tool_queue", "gauge", "Calls that wait for a Worker."),
  workersLost: metric(
    "scorpiox_workers_lost_total",
    "counter",
    "Workers that were lost, by kind.",
    ["worker"],
  ),
  background: metric("scorpiox_background_tasks", "gauge", "Background tasks that are running."),
  upstream: metric("scorpiox_upstream_servers", "gauge", "MCP servers by state.", ["state"]),
  logLost: metric(
    "scorpiox_access_log_lost_total",
    "counter",
    "Lines of the access log that could not be written.",
  ),
  spans: metric("scorpiox_otlp_spans_total", "counter", "Spans by what became of them.", [
    "result",
  ]),
  hubClients: metric("scorpiox_hub_clients", "gauge", "Processes that use the hub."),
  hubServers: metric("scorpiox_hub_servers", "gauge", "MCP servers that the hub runs."),
  hubKept: metric("scorpiox_hub_kept_tasks", "gauge", "Kept tasks that are running."),
  memory: metric("process_resident_memory_bytes", "gauge", "Resident memory."),
  cpu: metric("process_cpu_seconds_total", "counter", "Processor time."),
  start: metric("process_start_time_seconds", "gauge", "Start, in seconds since 1970."),
} as const satisfies Readonly<Record<string, MetricSpec>>;
