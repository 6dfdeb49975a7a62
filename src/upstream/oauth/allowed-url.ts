import { isLoopback } from "../../network/address-rules.ts";
import { hostOf } from "../../network/host-name.ts";
import { refusal, shown } from "./oauth-refusal.ts";

/** Where tokens may be sent, and what may be asked about them: https, or http that stays on this machine. */
export function isSafe(url: URL): boolean {
  const host = hostOf(url);
  return (
    url.protocol === "https:" ||
    (url.protocol === "http:" && (host === "localhost" || isLoopback(host)))
  );
}

/**
 * An address that another side has named, by what is written there. Where it leads is judged when it is asked
 * (`OauthRequests`).
 * @param what it is, for the message
 * @throws AppError `refused`
 */
export function allowedUrl(text: unknown, what: string): URL {
  const url = typeof text === "string" ? URL.parse(text) : null;
  const written = shown(typeof text === "string" ? text : "nothing");
  if (url === null) throw refusal(`${what} is no address: ${written}.`);
  if (!isSafe(url)) throw refusal(`${what} is not https: ${written}.`);
  if (url.username !== "" || url.password !== "" || url.hash !== "") {
    throw refusal(`${what} has a user name or a fragment in it: ${written}.`);
  }
  return url;
}
