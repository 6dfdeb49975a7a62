import { endLazy, forwarding, Lazy } from "../base/lazy.ts";
import type { RemoteWeb, WebOptions } from "../web/web.ts";
import { createWebOptions } from "./web-options.ts";
import type { Commands } from "./open-commands.ts";
import type { ProgramParts, ApplicationOptions } from "./program-parts.ts";

interface OpenWebParts {
  readonly program: Pick<ProgramParts, "createWebWorker">;
  readonly options: Pick<ApplicationOptions, "start" | "env" | "warn" | "separation" | "onWorker">;
}

/** The web service of a server. */
export function openWeb({ program, options }: OpenWebParts, commands: Commands): RemoteWeb {
  const { start, env, warn, onWorker } = options;
  const { dirs, config } = start;
  const { instanceId, guardian, supervisor } = commands;
  return lazyWeb({
    createWorker: program.createWebWorker,
    options: () =>
      createWebOptions({
        settings: config.settings.web,
        dirs,
        env,
        instanceId,
        sharesFetched: options.separation?.sharesCache === true,
      }),
    beforeStart: () => {
      // A browser that outlives the server is found by its mark; one that ends leaves zombies.
      guardian.start();
      supervisor.collectOrphans();
    },
    warn,
    onLost: () => onWorker?.("web", false),
  });
}

interface LazyWebParts {
  readonly createWorker: () => Worker;
  readonly options: () => WebOptions;
  /** Called once, before the Worker is started. */
  readonly beforeStart: () => void;
  readonly warn: (message: string) => void;
  readonly onLost?: () => void;
}

/** The web service, of which nothing is loaded before the first page or search. */
export function lazyWeb({ beforeStart, options, ...parts }: LazyWebParts): RemoteWeb {
  const web: Lazy<RemoteWeb> = new Lazy(async () => {
    const { WebWorkerClient } = await import("../web/worker/web-worker-client.ts");
    web.assertOpen();
    beforeStart();
    return new WebWorkerClient({ ...parts, options: options() });
  });
  return {
    ...forwarding(() => web.get(), ["fetchPage", "renderPage", "search"]),
    [Symbol.asyncDispose]: () => endLazy(web),
  };
}
