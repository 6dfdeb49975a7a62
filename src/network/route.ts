import { AppError } from "../base/errors.ts";
import { isLoopback } from "./address-rules.ts";
import { isPrivateName } from "./host-name.ts";
import {
  assertName,
  assertPort,
  judgeHost,
  refused,
  type Destination,
  type Standing,
} from "./judge-host.ts";
import type { Resolve } from "./resolve-host.ts";
import {
  upstreamChooser,
  type ChooseUpstream,
  type ProxyEnv,
  type UpstreamProxy,
} from "./upstream-proxy.ts";

/** How a destination is reached. */
export type Route =
  | { readonly kind: "direct"; readonly addresses: readonly string[] }
  | { readonly kind: "upstream"; readonly proxy: UpstreamProxy };

export interface Roads {
  readonly resolve: Resolve;
  readonly chooseUpstream: ChooseUpstream;
}

/** @param env has the variables that name the user's proxy */
export function roadsOf(env: ProxyEnv, resolve: Resolve): Roads {
  return { resolve, chooseUpstream: upstreamChooser(env) };
}

/**
 * Behind a proxy this machine often has no DNS of its own for public names: each page would wait for it. What is
 * known answers in less.
 */
const dnsBeforeProxyMsMax = 1_500;

/**
 * Judges a destination and finds the way there. Behind the user's proxy, names that can be resolved here are
 * judged all the same; of the others, those that only a private network can know are refused, and the rest is
 * left to the proxy.
 * @throws AppError `refused`, `system`, `cancelled`; `config` or `unsupported` for a proxy that cannot be used
 */
export async function routeTo(
  protocol: "http:" | "https:",
  destination: Destination,
  standing: Standing,
  { resolve, chooseUpstream }: Roads,
  signal: AbortSignal,
): Promise<Route> {
  assertPort(destination.host, destination.port);
  await assertName(destination.host, standing);
  const proxy = chooseUpstream(protocol, destination);
  if (proxy === undefined) {
    const addresses = await judgeHost(destination.host, standing, resolve, signal);
    return { kind: "direct", addresses };
  }
  try {
    const addresses = await judgeHost(
      destination.host,
      standing,
      resolve,
      signal,
      dnsBeforeProxyMsMax,
    );
    // No proxy leads back to this machine.
    if (addresses.length > 0 && addresses.every(isLoopback)) return { kind: "direct", addresses };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "system") throw error;
    if (standing.kind === "allowed") return { kind: "upstream", proxy };
    const isPrivate = standing.isForeign === true || isPrivateName(destination.host);
    if (isPrivate && ((await standing.reach?.()) ?? "public") === "public") {
      throw refused(destination.host, "it is a name of a private network", standing);
    }
  }
  return { kind: "upstream", proxy };
}
