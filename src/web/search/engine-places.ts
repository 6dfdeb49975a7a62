/** Hosts that sell advertisements or count clicks, whatever engine leads to them. */
const trackerHosts =
  /(?:^|\.)(?:doubleclick\.net|googleadservices\.com|googlesyndication\.com|adservice\.google\.[a-z.]+|clickserve\.dartsearch\.net)$/;

/**
 * Pages of search engines that are not results: advertisements, click counters that were not decoded, searches,
 * captchas. Other pages of the same hosts are as good as any.
 */
const enginePages: readonly RegExp[] = [
  /^(?:\w+\.)*bing\.com\/(?:aclick|aclk|ck\/|search|images\/search|videos\/search)/,
  /^(?:html\.|lite\.)?duckduckgo\.com\/(?:y\.js|l\/|html|lite|anomaly|$)/,
  /^search\.brave\.com\//,
  /^(?:\w+\.)*startpage\.com\/(?:sp|do|cgi-bin)\//,
  /^(?:\w+\.)*search\.yahoo\.com\//,
  /^(?:www\.)?mojeek\.com\/search/,
  /^(?:www\.)?google\.[a-z.]+\/(?:aclk|url$|search$|imgres|sorry\/|httpservice\/)/,
  /^(?:\w+\.)*yandex\.[a-z.]+\/(?:clck|showcaptcha|search)/,
  /^(?:\w+\.)*qwant\.com\/(?:redirect|v3\/)/,
  /^(?:www\.)?ecosia\.org\/(?:search|images|link)/,
  /^(?:www\.|m\.)?baidu\.com\/(?:s|baidu\.php|from=[^/]*\/)$/,
];

/** True for an address that leads to an advertisement, a click counter or back into a search engine. */
export function isEnginePlace({ hostname, pathname }: URL): boolean {
  if (trackerHosts.test(hostname)) return true;
  const place = `${hostname}${pathname}`;
  return enginePages.some((form) => form.test(place));
}
