import { runWebWorker } from "./web/worker/run-web-worker.ts";

runWebWorker(async (options) => {
  const { createWeb } = await import("./web/create-web.ts");
  return createWeb(options);
});
