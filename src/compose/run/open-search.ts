import type { Environment } from "../../base/values.ts";
import type { StartUp } from "../../cli/start-up.ts";
import { createGuard } from "../../web/guard/create-guard.ts";
import { createSearch, type WebSearch } from "../../web/search/create-search.ts";
import { createWebOptions } from "../web-options.ts";

/** The web search for one command, in this thread: nothing else waits for it. */
export function openSearch({ config, dirs }: StartUp, env: Environment): WebSearch {
  const { web } = config.settings;
  // No browser is started, so there is nothing that would have to be found again.
  const options = createWebOptions({ settings: web, dirs, env, instanceId: "" });
  const parts = new AsyncDisposableStack();
  const guard = parts.use(createGuard({ allowHosts: [], proxyEnv: options.proxyEnv }));
  const search = parts.use(createSearch(options.search, guard));
  return {
    search: (request, signal) => search.search(request, signal),
    report: (signal) => search.report(signal),
    forget: () => search.forget(),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
