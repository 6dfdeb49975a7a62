import { backpressure } from "./backpressure.ts";
import { busy } from "./busy.ts";
import { calls, callsOnOneProcessor } from "./calls.ts";
import { coldStart } from "./cold-start.ts";
import { http } from "./http.ts";
import { idle } from "./idle.ts";
import { memory } from "./memory.ts";
import { output } from "./output.ts";
import type { PhaseName } from "./phase-names.ts";
import type { Phase } from "./phase.ts";
import { pipelined } from "./pipelined.ts";
import { relay } from "./relay.ts";
import { replacement } from "./replacement.ts";
import { request } from "./request.ts";
import { sessions } from "./sessions.ts";
import { shell } from "./shell.ts";
import { size } from "./size.ts";

export const phases: Readonly<Record<PhaseName, Phase>> = {
  cold: coldStart,
  size,
  memory,
  idle,
  calls,
  one: callsOnOneProcessor,
  relay,
  pipelined,
  shell,
  output,
  busy,
  request,
  backpressure,
  http,
  sessions,
  replacement,
};
