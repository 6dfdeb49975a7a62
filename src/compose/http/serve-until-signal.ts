import { httpFlushMsMax } from "../../base/limits.ts";
import type { HttpSettings } from "../../cli/http-settings.ts";
import { capConnections } from "../../commands/process/connections.ts";
import type { HttpEndpoint } from "../../server/http/http-endpoint.ts";
import { onEndSignal } from "../end-signals.ts";
import type { ServeHttpOptions } from "./create-endpoint.ts";
import { createHealth } from "./http-guards.ts";
import { listen } from "./listening.ts";
import type { ServerFleet } from "./fleet.ts";
import type { Operations } from "./operations.ts";
import type { PartsHealth } from "./parts-health.ts";

interface Served {
  readonly settings: HttpSettings;
  readonly endpoint: HttpEndpoint;
  readonly fleet: ServerFleet;
  readonly operations: Operations | undefined;
  readonly state: PartsHealth;
  /** Called before the first request. */
  readonly onListening: (server: Bun.Server<undefined>) => void;
  readonly options: ServeHttpOptions;
}

/** Listens until a signal comes, and while requests under way finish. @throws AppError when it cannot */
export async function serveUntilSignal(served: Served): Promise<void> {
  const { settings, endpoint, operations, onListening, options } = served;
  // With the log on stdout nothing else is there.
  const print = settings.accessLog === "-" ? options.warn : options.print;
  const signals = new EndSignals();
  const server = listen(settings, endpoint, options.warn);
  const health = createHealth(settings, { state: served.state, env: options.env });
  const metricsServer = operations?.listen(health);
  const closeIdle = (): void => void server.closeIdleConnections();
  const stopCapping = capConnections({ port: server.port ?? settings.port, closeIdle });
  onListening(server);
  for (const line of startLines(settings, server, metricsServer)) print(line);
  await signals.first;
  await endServing(signals, server, served);
  stopCapping();
  await metricsServer?.stop(true);
}

function startLines(
  { path, ssePair }: HttpSettings,
  server: Bun.Server<undefined>,
  metricsServer: Bun.Server<undefined> | undefined,
): readonly string[] {
  const at = ({ url }: Bun.Server<undefined>, target: string): string => new URL(target, url).href;
  return [
    `Listening on ${at(server, path)}`,
    ...(ssePair === undefined ? [] : [`HTTP+SSE for older clients: ${at(server, ssePair.stream)}`]),
    ...(metricsServer === undefined ? [] : [`Metrics: ${at(metricsServer, "/metrics")}`]),
  ];
}

/** It goes on listening for a while: answers to questions, cancellations and `/readyz` must get through. */
async function endServing(
  signals: EndSignals,
  server: Bun.Server<undefined>,
  { endpoint, fleet, settings }: Served,
): Promise<void> {
  const drained = Promise.all([endpoint.drain(), fleet.drain()]);
  await signals.within(
    settings.drainMs,
    drained.then(() => fleet.settled()),
  );
  fleet.leave();
  endpoint.close();
  const stopped = server.stop();
  // Last words, such as the results of subscriptions, are written but may not be out yet.
  server.closeIdleConnections();
  await signals.within(httpFlushMsMax, stopped);
  await server.stop(true);
}

/** The signals that end the server: the first one has it finish what is under way, the second one does not wait. */
class EndSignals {
  readonly first: Promise<void>;
  readonly second: Promise<void>;

  constructor() {
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    this.first = first.promise;
    this.second = second.promise;
    let count = 0;
    onEndSignal(() => {
      count += 1;
      if (count === 1) first.resolve();
      else second.resolve();
    });
  }

  /** Waits for `work`, but not longer than `limitMs`, nor after the second signal. */
  async within(limitMs: number, work: Promise<unknown>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handle = setTimeout(resolve, limitMs);
    await Promise.race([work, promise, this.second]);
    clearTimeout(handle);
  }
}
