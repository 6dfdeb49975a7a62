import type { JsonText } from "../base/json-text.ts";
import type { Web } from "./web.ts";

/** `Web` in another thread: each reply is the JSON of what `Web` gives, for it is passed on and not looked at. */
export type RemoteWeb = AsyncDisposable & {
  readonly [Method in "fetchPage" | "renderPage" | "search"]: (
    ...call: Parameters<Web[Method]>
  ) => Promise<JsonText>;
};
