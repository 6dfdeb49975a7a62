import { catalogue } from "./tools/catalogue.ts";
import { runWorker } from "./workers/entry.ts";

runWorker(catalogue);
