/** Labels that name another edition of the same site. */
const editionLabels: ReadonlySet<string> = new Set(["www", "m", "mobile", "amp"]);

/** Parameters that say where a visitor came from and do not identify the page. */
const trackingParameters: ReadonlySet<string> = new Set([
  "gclid",
  "fbclid",
  "msclkid",
  "yclid",
  "dclid",
  "mc_cid",
  "mc_eid",
  "igshid",
  "ref_src",
  "_hsenc",
  "_hsmi",
  "srsltid",
  "spm",
]);

/**
 * One text for all addresses of a page (ranking, "Same page or not"): for comparing, never for showing.
 * Paths keep their case.
 */
export function pageKey(address: URL): string {
  const url = withoutShortHost(address);
  const host = keyHost(url.hostname);
  const port = url.port === "" ? "" : `:${url.port}`;
  const path = normaliseEscapes(url.pathname)
    .replace(/\/index\.(?:html|htm|php)$/, "/")
    .replace(/\/+$/, "");
  const parameters = keyParameters(url.search, host === "youtube.com");
  const query = parameters === "" ? "" : `?${parameters}`;
  return `${host}${port}${path}${query}${keyFragment(url.hash)}`;
}

/** `youtu.be/X` as `youtube.com/watch?v=X`. */
function withoutShortHost(address: URL): URL {
  const host = keyHost(address.hostname);
  if (host !== "youtu.be" || address.pathname.length < 2) return address;
  const url = new URL(`https://youtube.com/watch?v=${address.pathname.slice(1)}`);
  if (address.search !== "") url.search += `&${address.search.slice(1)}`;
  url.hash = address.hash;
  return url;
}

function keyHost(hostname: string): string {
  let labels = hostname.replace(/\.$/, "").split(".");
  // The rest must be a name that can be registered: `m.com` is a site of its own.
  while (labels.length > 2 && editionLabels.has(labels[0] ?? "")) labels = labels.slice(1);
  const isSecond = labels.length > 3 && editionLabels.has(labels[1] ?? "");
  return (isSecond ? labels.toSpliced(1, 1) : labels).join(".");
}

function keyParameters(search: string, isYouTube: boolean): string {
  return search
    .slice(1)
    .split("&")
    .filter((parameter) => parameter !== "" && !isTracking(parameter, isYouTube))
    .map(normaliseEscapes)
    .sort((a, b) => compareTexts(nameOf(a), nameOf(b)))
    .join("&");
}

function isTracking(parameter: string, isYouTube: boolean): boolean {
  const name = nameOf(parameter).toLowerCase();
  return name.startsWith("utm_") || trackingParameters.has(name) || (isYouTube && name === "si");
}

function nameOf(parameter: string): string {
  return parameter.split("=", 1)[0] ?? "";
}

/** Fragments name a place in a page, but for pages that route by them. */
function keyFragment(hash: string): string {
  const fragment = normaliseEscapes(hash.split(":~:", 1)[0] ?? "");
  return /^#[!/]/.test(fragment) ? fragment : "";
}

/** Escapes of unreserved characters are decoded, others are written in upper case (RFC 3986 section 6.2.2). */
function normaliseEscapes(text: string): string {
  return text.replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
  });
}

/** Compares texts by code units, alike on every machine. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
