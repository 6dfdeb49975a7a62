import { catalogue } from "./tools/catalogue.ts";
import { runWorker } from "./tools/workers/entry.ts";

runWorker(catalogue, "Bash");
