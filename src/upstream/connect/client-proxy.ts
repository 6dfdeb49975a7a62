import type { Environment } from "../../base/values.ts";
import { hostOf, portOf } from "../../network/host-name.ts";
import { upstreamChooser } from "../../network/route.ts";

/** The URL of the proxy for a request, with its credentials; undefined: none. @throws AppError for one that cannot be used */
export type ProxyOf = (url: URL) => string | undefined;

/** The proxies that a client's environment names, where that is not the environment of this process. */
export function proxiesOf(env: Environment): ProxyOf {
  const choose = upstreamChooser(env);
  return (url) =>
    choose(url.protocol === "https:" ? "https:" : "http:", { host: hostOf(url), port: portOf(url) })
      ?.url;
}
