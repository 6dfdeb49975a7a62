import { serveChannel } from "../../base/worker-channel/worker-side.ts";
import type { OpenUpstreams } from "./upstream-work.ts";
import { UpstreamWorkerSide, type UpstreamWorkerHost } from "./upstream-worker-side.ts";
import type { UpstreamOptions } from "./upstream-options.ts";

/**
 * The whole of the Worker that speaks to upstream servers.
 * @param load gives what does the work, when the options are there
 */
export function runUpstreamWorker(load: () => Promise<OpenUpstreams>): void {
  serveChannel(
    (options: UpstreamOptions, host: UpstreamWorkerHost) =>
      new UpstreamWorkerSide(options, load, host),
    { survivesErrors: true },
  );
}
