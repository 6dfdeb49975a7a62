import type { KeptOutput } from "../../commands/background/client-tasks.ts";
import type { UpstreamCall, Upstreams } from "../../upstream/upstreams.ts";

/** Makes an output that was cut a background task of its client. @returns the id of the task */
export type KeepOutput = (clientId: string, output: KeptOutput) => number;

/** The calls of `upstreams`, whose results are read on in the background where they had to be cut. */
export function keepingResults(
  upstreams: Pick<Upstreams, "call" | "search">,
  keepOutput: KeepOutput,
): Pick<Upstreams, "call" | "search"> {
  return {
    search: (query, signal) => upstreams.search(query, signal),
    call(call, events, signal) {
      const title = titleOf(call);
      const keep: (typeof events)["keep"] = (output) =>
        Promise.resolve(keepOutput(call.clientId, { ...output, title }));
      return upstreams.call(call, { ...events, keep }, signal);
    },
  };
}

function titleOf({ server, method, params: { name, uri } }: UpstreamCall): string {
  const what = [name, uri].find((part) => typeof part === "string") ?? method;
  return `${what} of the MCP server ${server}`;
}
