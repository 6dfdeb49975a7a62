import { AppError } from "../base/errors.ts";
import type { Web } from "./web.ts";
import type { WebOptions } from "./web-options.ts";

const absent = (): Promise<never> =>
  Promise.reject(new AppError("unsupported", "This part of the program is not built."));

/** Pages, the browser and the search, with one guard before them. */
export function createWeb(_options: WebOptions): Web {
  return {
    fetchPage: absent,
    renderPage: absent,
    search: absent,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
