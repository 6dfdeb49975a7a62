import { AppError } from "../../src/base/errors.ts";
import type { Confinements } from "../../src/calls/router/background-calls.ts";
import type { DistantServices } from "../../src/calls/router/distant-calls.ts";
import type { StateServices } from "../../src/calls/state-calls.ts";

const absent = (): Promise<never> =>
  Promise.reject(new AppError("unsupported", "not in this test"));

/** For tests of calls that keep nothing. */
export const absentState: StateServices = {
  tasks: { perform: absent },
  plan: { status: absent, read: absent, change: absent },
  questions: { ask: absent },
  skills: { load: absent },
  callbacks: { perform: absent },
};

/** For tests of commands that nothing confines. */
export const noConfinements: Confinements = {
  copyFor: () => Promise.reject(new Error("files are read by path")),
  lookAhead() {},
  forCommand: () => Promise.resolve(undefined),
};

/** For tests of calls that need neither pages nor images. */
export const absentServices: DistantServices = {
  web: {
    fetchPage: absent,
    renderPage: absent,
    search: absent,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  },
  images: { convert: absent },
  documents: { readPdf: absent },
};
