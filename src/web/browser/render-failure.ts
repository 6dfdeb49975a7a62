import { AppError } from "../../base/errors.ts";
import type { GuardProxy } from "../guard/guard.ts";

type Refusal = GuardProxy["refusals"][number];

/** Why no document came, in words for the reader. */
export function navigationError(
  url: string,
  failedUrl: string,
  errorText: string,
  refusals: readonly Refusal[],
): AppError {
  const refusal = refusalOf(failedUrl, refusals);
  if (refusal !== undefined) return refusedError(url, failedUrl, refusal);
  const code = errorText.replace(/^net::ERR_/, "");
  const where = failedUrl === url ? url : `${url}, which led to ${failedUrl},`;
  if (code === "TOO_MANY_REDIRECTS") {
    return new AppError("limit", `${where} redirects endlessly.`);
  }
  if (code.startsWith("CERT_") || code.startsWith("SSL_")) {
    return new AppError(
      "system",
      `${where} has no trusted certificate (${code}), so it was not read.`,
    );
  }
  return new AppError("system", `The browser could not load ${where} (${code}).`);
}

/** An address on the way that must not be reached. */
export function refusedError(url: string, failedUrl: string, refusal: Refusal): AppError {
  const way = sameHost(url, refusal.host) ? "" : ` ${url} led to ${failedUrl}.`;
  return new AppError("refused", `${refusal.reason}${way}`);
}

/** The newest refusal of the host of `url`. */
export function refusalOf(url: string, refusals: readonly Refusal[]): Refusal | undefined {
  return refusals.findLast(({ host }) => sameHost(url, host));
}

function sameHost(url: string, host: string): boolean {
  const hostname = URL.parse(url)?.hostname ?? "";
  return plainHost(hostname) === plainHost(host);
}

/** Without brackets, port and the dot at the end. */
function plainHost(host: string): string {
  const lower = host.toLowerCase();
  const inBrackets = /^\[([^\]]*)\]/.exec(lower)?.[1];
  if (inBrackets !== undefined) return inBrackets;
  const name = lower.split(":").length === 2 ? (lower.split(":")[0] ?? "") : lower;
  return name.replace(/\.$/, "");
}
