import { endLazy, forwarding, Lazy } from "../base/lazy.ts";
import type { RemoteWeb } from "../web/remote-web.ts";
import type { WebOptions } from "../web/web-options.ts";

export interface LazyWebParts {
  readonly createWorker: () => Worker;
  readonly options: () => WebOptions;
  /** Called once, before the Worker is started. */
  readonly beforeStart: () => void;
  readonly warn: (message: string) => void;
}

/** The web service, of which nothing is loaded before the first page or search. */
export function lazyWeb({ createWorker, options, beforeStart, warn }: LazyWebParts): RemoteWeb {
  const web: Lazy<RemoteWeb> = new Lazy(async () => {
    const { WebWorkerClient } = await import("../web/worker/web-worker-client.ts");
    web.assertOpen();
    beforeStart();
    return new WebWorkerClient({ createWorker, options: options(), warn });
  });
  return {
    ...forwarding(() => web.get(), ["fetchPage", "renderPage", "search"]),
    [Symbol.asyncDispose]: () => endLazy(web),
  };
}
