import type { ClientProfile } from "./connection/session.ts";
import { createConnection, type ServerContext } from "./context/server-context.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { Transport } from "./transport/transport.ts";

export interface ConnectionOptions {
  readonly transport: Transport;
  readonly server: ServerContext;
  readonly client: ClientProfile;
  /** How long requests already read may go on after the input has ended. */
  readonly drainMs: number;
  /**
   * Called once, in a turn of its own, when the first input has been handled and its cheap replies are written:
   * the time for what start-up left out. A first message that is a call may be under way by then.
   */
  readonly onFirstInputHandled?: () => void;
  /** Called when the client has gone, or `shutdown` was called, before anything that is under way is waited for. */
  readonly onInputEnd?: () => void;
}

/** A connection that is being served, as the program that serves it sees it. */
export interface Serving {
  /** Resolves when the input has ended, all requests are settled or cancelled, and the output is handed over. */
  readonly ended: Promise<void>;
  /** Reads no more input; `ended` follows within about `drainMs`. */
  shutdown(): void;
}

/** Joins a transport and a dispatcher. */
export function serveConnection(options: ConnectionOptions): Serving {
  return { ended: serve(options), shutdown: () => options.transport.close() };
}

async function serve(options: ConnectionOptions): Promise<void> {
  const { transport, server, client, drainMs, onFirstInputHandled } = options;
  const connection = createConnection(server, client, transport);
  await transport.run(new Dispatcher(connection).receiver(onFirstInputHandled));
  options.onInputEnd?.();
  connection.clientRequests.close();
  connection.inFlight.endSubscriptions();
  await within(drainMs, connection.inFlight.settled());
  connection.inFlight.cancelAll();
  server.release(connection);
  await within(drainMs, transport.flushed());
}

/** Waits for `work`, but not longer than `limitMs`. Keeps the process alive meanwhile. */
async function within(limitMs: number, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const handle = setTimeout(resolve, limitMs);
  await Promise.race([work, promise]);
  clearTimeout(handle);
}
