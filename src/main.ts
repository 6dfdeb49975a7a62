#!/usr/bin/env bun
import { runProgram } from "./compose/run/run-program.ts";
import { wholeInstructions } from "./compose/whole-instructions.macro.ts" with { type: "macro" };
import { catalogueCards } from "./tools/catalogue-cards.macro.ts" with { type: "macro" };

// Not awaited: beside a top-level await the bundler keeps fifty chunks apart that a start would load one by one.
void runProgram({
  cards: catalogueCards(),
  wholeInstructions: wholeInstructions(),
  createWorker: () => new Worker(new URL("./worker.ts", import.meta.url).href),
  createWebWorker: () => new Worker(new URL("./web-worker.ts", import.meta.url).href),
  createStoreWorker: () => new Worker(new URL("./store-worker.ts", import.meta.url).href),
  createUpstreamWorker: () => new Worker(new URL("./upstream-worker.ts", import.meta.url).href),
});
