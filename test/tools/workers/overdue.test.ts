import { expect, test } from "bun:test";

import { workerJobMsMax, workerStartMsMax } from "../../../src/base/limits.ts";
import { type Ending } from "../../../src/tools/workers/messages.ts";
import { cancelGraceMs, findOverdue } from "../../../src/tools/workers/overdue.ts";
import type { Stretch } from "../../../src/tools/workers/stretch-watch.ts";

const job = { msMax: 300 };
const ready = { isReady: true, ageMs: 1e9, load: 3 };
const starting = { isReady: false, ageMs: workerStartMsMax, load: 3 };

test.each<
  [string, Parameters<typeof findOverdue>[0], Stretch, typeof job | undefined, Ending | undefined]
>([
  ["a job within its time", ready, { jobId: 7, ms: 300 }, job, undefined],
  [
    "a job beyond its time",
    ready,
    { jobId: 7, ms: 301 },
    job,
    { reason: "it did not finish within 300 ms", culpritId: 7 },
  ],
  ["a cancelled job in its grace", ready, { jobId: 7, ms: cancelGraceMs }, undefined, undefined],
  [
    "a cancelled job beyond it",
    ready,
    { jobId: 7, ms: cancelGraceMs + 1 },
    undefined,
    { reason: "its call was cancelled", culpritId: 7 },
  ],
  ["nothing to do", { ...ready, load: 0 }, { jobId: 0, ms: 1e9 }, undefined, undefined],
  ["jobs about to begin", ready, { jobId: 0, ms: workerJobMsMax }, undefined, undefined],
  [
    "jobs that never begin",
    ready,
    { jobId: 0, ms: workerJobMsMax + 1 },
    undefined,
    { reason: "it started no job within 30000 ms", culpritId: 0 },
  ],
  ["a Worker that starts", starting, { jobId: 0, ms: 1e9 }, undefined, undefined],
  [
    "a Worker that does not start",
    { ...starting, ageMs: workerStartMsMax + 1 },
    { jobId: 0, ms: 0 },
    undefined,
    { reason: "it did not start", culpritId: 0 },
  ],
])("findOverdue: %s", (_, worker, stretch, computing, expected) => {
  expect(findOverdue(worker, stretch, computing)).toEqual(expected);
});
