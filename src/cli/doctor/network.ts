import { connect } from "node:net";

import { messageOf } from "../../base/errors.ts";
import { type UpstreamProxy, upstreamChooser } from "../../network/route.ts";
import { type Finding, fault, note, ok } from "./finding.ts";

/** Longer than any proxy takes that is there. */
const proxyMsMax = 3_000;

/** Any host that is not this machine. */
const anywhere = { host: "example.com", port: 443 };

/** The proxy of this shell, which is connected to and asked for nothing. */
export async function proxyFindings(
  env: Readonly<Record<string, string | undefined>>,
  clientEnv: Readonly<Record<string, string | undefined>>,
): Promise<readonly Finding[]> {
  let proxy: UpstreamProxy | undefined;
  try {
    proxy = upstreamChooser(env)("https:", anywhere);
  } catch (error) {
    return [fault("network", messageOf(error).replace(/\.$/, ""), "correct the variable")];
  }
  if (proxy === undefined) return [ok("network", "no proxy is set in this shell")];
  const { origin } = proxy;
  const problem = await connectProblem(proxy);
  if (problem !== undefined) {
    const remedy = "correct HTTPS_PROXY, or start the proxy";
    return [fault("network", `the proxy ${origin} cannot be reached (${problem})`, remedy)];
  }
  const reached = ok("network", `the proxy ${origin} takes connections`);
  if (upstreamChooser(clientEnv)("https:", anywhere) !== undefined) return [reached];
  const text = `the client does not pass the proxy ${origin} on: pages and searches go without it there`;
  return [reached, note("network", text, 'set HTTPS_PROXY in the "env" of the client\'s entry')];
}

function connectProblem({ host, port }: UpstreamProxy): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: proxyMsMax });
    const end = (problem?: string): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.once("connect", () => end());
    socket.once("timeout", () => end("no answer"));
    socket.once("error", (error) => end(messageOf(error)));
  });
}
