import { faultsOf } from "./proto-json.ts";

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string };
}

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

interface TracesBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

interface ReceivedRequest {
  readonly path: string;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A collector for OTLP over HTTP in JSON. It refuses what the proto's mapping does not allow, and remembers why. */
export class Collector implements Disposable {
  readonly requests: ReceivedRequest[] = [];
  readonly faults: string[] = [];
  /** The answers to the next requests; afterwards everything is taken. */
  readonly answers: Response[] = [];
  readonly #server: Bun.Server<undefined>;

  constructor() {
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => this.#answer(request),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  get spans(): readonly ReceivedSpan[] {
    return this.#traces.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    );
  }

  /** Of the first request with traces. */
  get resource(): Readonly<Record<string, string>> {
    return attributesOf(this.#traces[0]?.resourceSpans[0]?.resource ?? { attributes: [] });
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }

  get #traces(): readonly TracesBody[] {
    return this.requests
      .filter(({ path }) => path === "/v1/traces")
      .map(({ body }) => body as TracesBody);
  }

  async #answer(request: Request): Promise<Response> {
    const answer = this.answers.shift();
    if (answer !== undefined && !answer.ok) return answer;
    const { pathname: path } = new URL(request.url);
    const type = request.headers.get("content-type");
    if (request.method !== "POST" || type !== "application/json") this.faults.push(`${type}`);
    const body: unknown = await request.json();
    this.faults.push(...faultsOf(path, body));
    this.requests.push({ path, headers: request.headers, body });
    return answer ?? Response.json({ partialSuccess: {} });
  }
}

/** By key, as texts. */
export function attributesOf({
  attributes,
}: {
  readonly attributes: readonly Attribute[];
}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? ""]),
  );
}
