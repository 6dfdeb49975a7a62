import { runStoreWorker } from "./state/store/worker/run-store-worker.ts";

runStoreWorker();
