import { routeConsoleToStderr } from "../../base/console.ts";
import { messageOf } from "../../base/errors.ts";
import type { UpstreamOptions } from "./upstream-options.ts";
import type { OpenUpstreams } from "./upstream-work.ts";
import { decodeToUpstreamWorker, encodeFromUpstreamWorker } from "./messages.ts";
import { UpstreamWorkerSide } from "./upstream-worker-side.ts";

declare const self: Worker;

/**
 * The whole of the Worker that speaks to other servers.
 * @param load gives what does the work, when the options are there
 */
export function runUpstreamWorker(load: () => Promise<OpenUpstreams>): void {
  routeConsoleToStderr();
  const open = async (options: UpstreamOptions): Promise<ReturnType<OpenUpstreams>> => {
    const openUpstreams = await load();
    return openUpstreams(options, side.hostFor(options));
  };
  const side = new UpstreamWorkerSide(open, (message) =>
    self.postMessage(encodeFromUpstreamWorker(message)),
  );
  self.onmessage = ({ data }: MessageEvent<string>): void =>
    side.receive(decodeToUpstreamWorker(data));
  // What a library left behind throws: no call is to blame, and none of them suffers.
  const report = (error: unknown): void => side.report(messageOf(error));
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
}
