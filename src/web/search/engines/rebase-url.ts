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
