import { runWebWorker } from "./web/worker/run-web-worker.ts";

runWebWorker(async (options) => {
  const { createWeb } = await import("./web/web.ts");
  return createWeb(options);
});
