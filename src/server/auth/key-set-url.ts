import { AppError } from "../../base/errors.ts";
import { isLoopbackHost } from "./loopback-host.ts";

/**
 * Parses the value of `--jwks`: `https:` anywhere, `http:` on this machine only, because who can change the keys
 * on the way can make tokens, or `file:` for keys that are brought here by other means.
 * @throws AppError "usage"
 */
export function parseKeySetUrl(text: string): URL {
  const url = URL.parse(text);
  const fail = (what: string): never => {
    throw new AppError("usage", `The address of the key set ${what}.`);
  };
  if (url === null) return fail(`"${text}" is not a URL: write https://… or file:///…`);
  if (url.username !== "" || url.password !== "")
    return fail("holds a user name or password: remove it, keys are public");
  switch (url.protocol) {
    case "https:":
      return url;
    case "http:":
      return isLoopbackHost(url.hostname) ? url : fail(`"${text}" is not encrypted: use https`);
    case "file:":
      return url.host === "" ? url : fail(`"${text}" names another machine: write file:///…`);
    default:
      return fail(`"${text}" has an unsupported scheme: use https`);
  }
}

/** The address without its query, for messages. */
export function describeKeySetUrl({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`;
}
