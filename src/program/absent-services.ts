import { AppError } from "../base/errors.ts";
import type { DistantServices } from "../gateway/distant-calls.ts";

const absent = (): Promise<never> =>
  Promise.reject(new AppError("unsupported", "This part of the program is not built."));

/** Stands where a service is not made yet: every call of it fails and says so. */
export const absentServices: DistantServices = {
  web: {
    fetchPage: absent,
    renderPage: absent,
    search: absent,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  },
  images: { convert: absent },
};
