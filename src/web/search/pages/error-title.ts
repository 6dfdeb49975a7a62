import type { EngineAnswer, EngineResponse } from "../engine.ts";
import type { Page } from "./page.ts";
import { statusAnswer } from "./status-answer.ts";

/** Titles of the error pages that servers come with: `403 Forbidden`. */
const errorTitle =
  /^(?:error |HTTP )?([45]\d\d)(?: [-–—:])? (?:unauthorized|forbidden|not found|too many requests|internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out)$/i;

/** The status that a page names which was saved without it. Only for pages without results. */
export function errorTitleAnswer(page: Page, response: EngineResponse): EngineAnswer | undefined {
  const status = errorTitle.exec(page.title)?.[1];
  return status === undefined ? undefined : statusAnswer({ ...response, status: Number(status) });
}
