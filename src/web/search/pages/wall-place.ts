import type { EngineAnswer, SearchEngine } from "../engine.ts";
import { blocked, consentWall } from "./answers.ts";

const captchaHost = /captcha/;
/** A folder or file of that name; the query is behind the question mark. */
const captchaPath = /\/[^/]*captcha[^/]*(?:\/|$)/i;
const consentHost = /^consent\./;

/**
 * The meaning of a place to which an engine sends its reader: each knows its own walls, and there are those of services
 * that serve many. Undefined = nothing.
 */
export function wallAt(
  place: URL,
  judgeOwn: SearchEngine["judgeLocation"],
): EngineAnswer | undefined {
  const said = judgeOwn?.(place);
  if (said !== undefined) return said;
  const { hostname, pathname } = place;
  if (captchaHost.test(hostname) || captchaPath.test(pathname)) return blocked("captcha");
  return consentHost.test(hostname) ? consentWall() : undefined;
}
