import { runStoreWorker } from "./store/worker/run-store-worker.ts";

runStoreWorker();
