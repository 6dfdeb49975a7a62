import type { EngineAnswer, SearchEngine } from "../engine.ts";
import { wallAt } from "../pages/answers.ts";

/** Redirects that are followed for one request. */
const engineRedirectsMax = 3;

export type RedirectVerdict =
  | { readonly kind: "follow"; readonly url: URL }
  | { readonly kind: "answer"; readonly answer: EngineAnswer };

/**
 * Whether a redirect is followed. One to a captcha or a consent wall is itself the answer, and one that leaves
 * the engine's domain is followed by nobody.
 *
 * @param from where the redirecting response came from, base override included
 * @param location the header as it was sent
 * @param hops redirects that were followed before this one
 */
export function judgeRedirect(
  engine: SearchEngine,
  from: URL,
  location: string,
  hops: number,
): RedirectVerdict {
  const url = URL.parse(location, from.href);
  if (url === null) return failed("redirected to something that is not a URL");
  const said = wallAt(url, (place) => engine.judgeLocation?.(place));
  if (said !== undefined) return { kind: "answer", answer: said };
  if (url.protocol !== "https:" && url.protocol !== from.protocol) {
    return failed(`redirected to ${url.protocol}//${url.host}`);
  }
  if (!isWithin(url, from, engine.domain)) return failed(`redirected to ${url.host}`);
  if (hops >= engineRedirectsMax) return failed(`more than ${engineRedirectsMax} redirects`);
  return { kind: "follow", url };
}

function failed(detail: string): RedirectVerdict {
  return { kind: "answer", answer: { state: "error", detail } };
}

/** An overridden host is not in the domain: from there only the same host is allowed. */
function isWithin(url: URL, from: URL, domain: string | undefined): boolean {
  if (url.host === from.host) return true;
  return domain !== undefined && isOf(from.hostname, domain) && isOf(url.hostname, domain);
}

function isOf(hostname: string, domain: string): boolean {
  return hostname === domain || hostname.endsWith(`.${domain}`);
}

/**
 * The address that a request goes to when the engine's base is overridden: scheme, host and port of the override,
 * path and query of the request. A path of the override is ignored.
 *
 * @param base an absolute `http:` or `https:` URL, already judged by the configuration
 */
export function rebaseUrl(url: string, base: string | undefined): URL {
  const real = new URL(url);
  if (base === undefined) return real;
  return new URL(new URL(base).origin + real.pathname + real.search);
}
