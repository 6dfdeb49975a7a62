const linkSchemes = new Set(["http:", "https:", "mailto:", "tel:", "ftp:"]);
const imageSchemes = new Set(["http:", "https:"]);
/** Longer addresses are useless to a reader. */
const hrefCharsMax = 2_000;

/** The absolute address of a link, fit for Markdown; undefined for scripts, data and invalid addresses. */
export function linkTarget(href: string, baseUrl: string): string | undefined {
  return target(href, baseUrl, linkSchemes);
}

/** The absolute address of an image, frame or film. */
export function mediaTarget(source: string, baseUrl: string): string | undefined {
  return target(source, baseUrl, imageSchemes);
}

function target(text: string, baseUrl: string, schemes: ReadonlySet<string>): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.length > hrefCharsMax) return undefined;
  if (!URL.canParse(trimmed, baseUrl)) return undefined;
  const url = new URL(trimmed, baseUrl);
  if (!schemes.has(url.protocol) || url.href.length > hrefCharsMax) return undefined;
  return forMarkdown(url.href);
}

/** Parentheses may stay when they come in simple pairs; other signs that Markdown knows are written as codes. */
function forMarkdown(href: string): string {
  const safe = href.replace(
    /[\s<>|`\\*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
  if (!/[()]/.test(safe) || /^(?:[^()]|\([^()]*\))*$/.test(safe)) return safe;
  return safe.replaceAll("(", "%28").replaceAll(")", "%29");
}
