import type { Environment } from "../../base/values.ts";
import type { HttpSettings } from "../../cli/http-settings.ts";
import type { HealthParts } from "../../server/http/operator-pages.ts";
import {
  hostOfAddress,
  RequestGuard,
  type RequestGuardOptions,
} from "../../server/transport/http/request-guard.ts";
import type { PartsHealth } from "./parts-health.ts";

interface HealthSources {
  readonly state: PartsHealth;
  readonly env: Environment;
}

/** Answers probes, at the port of the endpoint and at that of the metrics. */
export function createHealth(settings: HttpSettings, { state, env }: HealthSources): HealthParts {
  const { readiness, lookAtParts } = state;
  const isStrict = settings.isReadyStrict || env["READY_STRICT"] === "1";
  return { readiness, guard: createProbeGuard(settings), isStrict, look: lookAtParts };
}

/** The operator chose the address to listen on: clients may use it as host. */
export function createRequestGuard(
  settings: HttpSettings,
  warn: (message: string) => void,
): RequestGuard {
  const { host, allowedHosts } = settings;
  if (hostOfAddress(host) === undefined && allowedHosts.length === 0) warn(namelessWarning(host));
  return new RequestGuard(guardOptions(settings));
}

/** Probes and Prometheus know a machine by its address. */
function createProbeGuard(settings: HttpSettings): RequestGuard {
  return new RequestGuard({ ...guardOptions(settings), takesAddresses: true });
}

function guardOptions({ host, allowedHosts, allowedOrigins }: HttpSettings): RequestGuardOptions {
  const own = hostOfAddress(host);
  return {
    allowedHosts: own === undefined ? allowedHosts : [...allowedHosts, own],
    allowedOrigins,
  };
}

function namelessWarning(host: string): string {
  return (
    `Listening on "${host}", which is every address: requests for other names than localhost are refused (403). ` +
    "Give the names and addresses that clients use with --allow-host."
  );
}
