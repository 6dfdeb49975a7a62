import type { LoadedPage } from "./loaded-page.ts";
import { targetCharsMax } from "./page-url.ts";

/** Pages that do nothing but send their reader on are a few hundred characters. */
const stubCharsMax = 32 * 1024;
/** Longer waits are pages that renew themselves, or that have something to be read first. */
const secondsMax = 5;
const says = /http-equiv\s*=\s*["']?\s*refresh/i;
const directive =
  /^\s*(\d{1,3})(?:\.[\d.]*)?\s*[;,\s]\s*(?:url\s*=\s*)?["']?\s*([^"']+?)\s*["']?\s*$/i;

/**
 * The target of a page's `<meta http-equiv=refresh>`, as documentation does that has moved. The content of `noscript`
 * is ignored: it leads to a page about scripts.
 */
export async function refreshTarget(page: LoadedPage): Promise<URL | undefined> {
  const { body, contentType, status, finalUrl } = page;
  if (body.kind !== "text" || contentType !== "text/html" || status >= 400) return undefined;
  if (body.text.length > stubCharsMax || !says.test(body.text)) return undefined;
  const { parseHtml } = await import("../dom/parse-html.ts");
  const { walkElements } = await import("../dom/walk.ts");
  let target: URL | undefined;
  walkElements(parseHtml(body.text), ({ name, attribs }) => {
    if (name === "noscript" || name === "template") return "past";
    if (name === "meta" && attribs["http-equiv"]?.trim().toLowerCase() === "refresh") {
      target ??= targetOf(attribs["content"] ?? "", finalUrl);
    }
    return "into";
  });
  return target;
}

function targetOf(content: string, from: string): URL | undefined {
  const [, seconds, url] = directive.exec(content) ?? [];
  if (url === undefined || Number(seconds) > secondsMax) return undefined;
  const target = URL.parse(url, from);
  return target === null || target.href.length > targetCharsMax ? undefined : target;
}
