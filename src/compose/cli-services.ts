import { product } from "../base/product.ts";
import type { CliServices } from "../cli/command.ts";
import { LazyRouter } from "./lazy-router.ts";
import type { ProgramParts, ToolServicesOptions } from "./program-parts.ts";
import { serveStdio } from "./serve-stdio.ts";

export interface CliServicesParts extends Pick<ToolServicesOptions, "env" | "warn"> {
  readonly program: ProgramParts;
  readonly cwd: string;
  readonly print: (line: string) => void;
}

/** What the commands of the command line ask of the program; each loads what it needs. */
export function createCliServices(services: CliServicesParts): CliServices {
  const { program: parts, env, warn, cwd, print } = services;
  return {
    version: product.version,
    get toolNames() {
      return parts.cards.map(({ listing }) => listing.name);
    },
    serveStdio: (start) => serveStdio(parts, start, { env, warn, cwd: cwd }),
    async serveHttp(start, http) {
      const { serveHttp } = await import("./serve-http.ts");
      return serveHttp(parts, start, http, { env, warn, print, cwd: cwd });
    },
    async createRouter(start) {
      const router = new LazyRouter(parts, { start, env, warn, isBrief: true });
      return {
        router,
        upstreams: router.upstreams,
        async upstreamTools(wanted) {
          const { upstreamTools } = await import("./upstream-tools.ts");
          return upstreamTools(router.upstreams, wanted);
        },
        close: () => router.close(),
      };
    },
    async upstreamCatalogues(start, servers, signal, how) {
      const { askUpstreams } = await import("./ask-upstreams.ts");
      return askUpstreams(parts, { start, env, warn }, servers, { signal, how });
    },
    async triedUpstreams(start, servers, signal) {
      const { tryUpstreams } = await import("./ask-upstreams.ts");
      return tryUpstreams(parts, { start, env, warn }, servers, signal);
    },
    async installUpstreams(start, servers, signal) {
      const { installUpstreams } = await import("./ask-upstreams.ts");
      return installUpstreams(parts, { start, env, warn }, servers, signal);
    },
    async openPages(start) {
      const { openPages } = await import("./open-pages.ts");
      return openPages(start, env);
    },
    async openHooks(start) {
      const { openHooks } = await import("./open-hooks.ts");
      return openHooks(start, { env, warn });
    },
    async probeSandbox(start) {
      const { probeSandbox } = await import("./probe-sandbox.ts");
      return probeSandbox(start, env);
    },
    async openSearch(start) {
      const { openSearch } = await import("./open-search.ts");
      return openSearch(start, env);
    },
  };
}
