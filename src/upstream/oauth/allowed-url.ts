import { refusal, shown } from "./oauth-refusal.ts";

/** Whether the host can only mean this machine, as `URL` writes it. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
}

/** Where tokens may be sent, and what may be asked about them: https, or http that stays on this machine. */
export function isSafe(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url));
}

/**
 * An address that another side has named. One on this machine is only believed to a server that is on it too: others
 * would have us send requests to what listens here.
 * @param what it is, for the message
 * @throws AppError `refused`
 */
export function allowedUrl(text: unknown, allowsLoopback: boolean, what: string): URL {
  const url = typeof text === "string" ? URL.parse(text) : null;
  const written = shown(typeof text === "string" ? text : "nothing");
  if (url === null) throw refusal(`${what} is no address: ${written}.`);
  if (!isSafe(url)) throw refusal(`${what} is not https: ${written}.`);
  if (url.username !== "" || url.password !== "" || url.hash !== "") {
    throw refusal(`${what} has a user name or a fragment in it: ${written}.`);
  }
  if (isLoopback(url) && !allowsLoopback) {
    throw refusal(`${what} is on this machine, but the server is not: ${written}.`);
  }
  return url;
}
