import { runUpstreamWorker } from "./upstream/worker/run-upstream-worker.ts";

runUpstreamWorker(async () => {
  const { createUpstreamWork } = await import("./upstream/manager/create-upstream-work.ts");
  return createUpstreamWork;
});
