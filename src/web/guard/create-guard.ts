import { AppError } from "../../base/errors.ts";
import { GuardedFetch } from "../../network/guarded-fetch.ts";
import { hostOf } from "../../network/host-name.ts";
import {
  type Destination,
  type Resolve,
  resolveBySystem,
  type HostAccess,
} from "../../network/judge-host.ts";
import { roadsOf } from "../../network/route.ts";
import {
  type GuardedRequest,
  type GuardProxy,
  type NetworkGuard,
  parseHostRules,
  hostAccessOf,
} from "./network-guard.ts";
import { ForwardProxy } from "./proxy/forward-proxy.ts";

export interface GuardOptions {
  /** `READDOCS_ALLOW_HOSTS`: names or addresses, with a port or for all ports. Other values allow nothing. */
  readonly allowHosts: readonly string[];
  /** The proxy variables, see `WebOptions.proxyEnv`. */
  readonly proxyEnv: Readonly<Record<string, string>>;
  /** In place of the system's resolver. */
  readonly resolve?: Resolve;
}

/** The guard. Disposing of it ends its requests and its proxies. */
export function createGuard(options: GuardOptions): NetworkGuard {
  const roads = roadsOf(options.proxyEnv, options.resolve ?? resolveBySystem);
  const configured = parseHostRules(options.allowHosts);
  const fetcher = new GuardedFetch(roads);
  const proxies = new Set<ForwardProxy>();
  const ended = new AbortController();

  return {
    async fetch(request: GuardedRequest): Promise<Response> {
      const { url, pageUrl, allowHosts } = request;
      const own = parseHostRules(allowHosts ?? []);
      const allowance = { configured, own, pageHost: hostOf(pageUrl ?? url) };
      const signal = AbortSignal.any([request.signal, ended.signal]);
      const access = (to: Destination): HostAccess => hostAccessOf(to, allowance);
      return (await fetcher.fetch({ ...request, signal }, access)).response;
    },
    async openProxy(): Promise<GuardProxy> {
      if (ended.signal.aborted) throw new AppError("cancelled", "The network guard has ended.");
      const onEnd = (proxy: ForwardProxy): void => void proxies.delete(proxy);
      const proxy = await ForwardProxy.open({ roads, configured, onEnd });
      proxies.add(proxy);
      // It may have ended while the proxy opened.
      if (ended.signal.aborted) await proxy[Symbol.asyncDispose]();
      return proxy;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      ended.abort();
      await Promise.all([...proxies].map((proxy) => proxy[Symbol.asyncDispose]()));
    },
  };
}
