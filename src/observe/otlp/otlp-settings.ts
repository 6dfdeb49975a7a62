import { AppError } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import type { Environment } from "../../base/values.ts";

/** Where traces and metrics go, and who sends them. */
export interface OtlpSettings {
  readonly tracesUrl: string;
  readonly metricsUrl: string;
  /** Sent with every request to the collector; may hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** Attributes of the resource, `service.name` among them. */
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * The settings of `--otlp` and of the variables of OpenTelemetry; undefined when nothing is to be sent.
 * @param url the flag, which comes before the variables
 * @throws AppError `usage` for text that is not a URL of HTTP, or a protocol that is not spoken
 */
export function readOtlpSettings(
  url: string | undefined,
  env: Environment,
): OtlpSettings | undefined {
  const endpoint = url ?? valueOf(env, "OTEL_EXPORTER_OTLP_ENDPOINT");
  if (endpoint === undefined || env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true")
    return undefined;
  const source = url === undefined ? "OTEL_EXPORTER_OTLP_ENDPOINT" : "--otlp";
  const protocol = valueOf(env, "OTEL_EXPORTER_OTLP_PROTOCOL");
  if (protocol === "grpc" && url === undefined) {
    throw new AppError(
      "usage",
      "OTEL_EXPORTER_OTLP_PROTOCOL is grpc, which scorpiox-code does not speak: give --otlp the URL for HTTP, mostly port 4318.",
    );
  }
  const base = parseEndpoint(endpoint, source);
  const given = pairsOf(env, "OTEL_RESOURCE_ATTRIBUTES");
  const name = valueOf(env, "OTEL_SERVICE_NAME") ?? given["service.name"] ?? product.name;
  return {
    tracesUrl: `${base}/v1/traces`,
    metricsUrl: `${base}/v1/metrics`,
    headers: pairsOf(env, "OTEL_EXPORTER_OTLP_HEADERS"),
    attributes: {
      "service.instance.id": crypto.randomUUID(),
      ...given,
      "service.name": name,
      "service.version": product.version,
    },
  };
}

/** Without a slash at its end. */
function parseEndpoint(text: string, source: string): string {
  const url = URL.parse(text);
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (url !== null && isHttp && url.search === "" && url.hash === "")
    return url.href.replace(/\/+$/, "");
  throw new AppError(
    "usage",
    `${source} is not the URL of a collector: write it like http://127.0.0.1:4318.`,
  );
}

/** An empty variable is one that is not set. */
function valueOf(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

/** `key=value,key=value`, in which values are percent-encoded. @throws AppError `usage` naming the variable alone */
function pairsOf(env: Environment, name: string): Readonly<Record<string, string>> {
  const pairs: Record<string, string> = {};
  for (const pair of (valueOf(env, name) ?? "").split(",")) {
    if (pair.trim() === "") continue;
    const equals = pair.indexOf("=");
    const value = equals === -1 ? undefined : decoded(pair.slice(equals + 1).trim());
    const key = pair.slice(0, equals).trim();
    if (value === undefined || !/^[\w.\-/]+$/.test(key) || /[^\x20-\x7e]/.test(value))
      throw new AppError("usage", `${name} is not a list like key=value,other=value.`);
    pairs[key] = value;
  }
  return pairs;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
