import { httpIdleSMax } from "../base/limits.ts";
import { Health, type HealthParts, type OperatorPages } from "../server/http/operator-pages.ts";
import { refusal } from "../server/http/responses.ts";
import { listenFault } from "./listening.ts";

interface ListenerParts {
  readonly host: string;
  readonly port: number;
  readonly pages: OperatorPages;
  readonly health: HealthParts;
}

/** `/metrics`, `/status` and health at an address of their own, without tokens: every client that reaches it may see them. @throws AppError `system` */
export function openMetricsListener({
  host,
  port,
  pages,
  health,
}: ListenerParts): Bun.Server<undefined> {
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
