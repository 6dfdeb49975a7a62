import { AppError, messageOf, systemCodeOf } from "../base/errors.ts";
import { forbiddenBecause, ownAddresses, parseIp, type Reach } from "./address-rules.ts";
import { isBadPort, localNameBecause } from "./host-name.ts";

export interface Destination {
  /** As `hostOf` gives it. */
  readonly host: string;
  readonly port: number;
}

/** Whether a destination is open regardless of its addresses. */
export type HostAccess = { readonly kind: "allowed" } | JudgedAccess;

interface JudgedAccess {
  readonly kind: "judged";
  /** The remedy for the refused party, as a sentence. */
  readonly remedy: string;
  /**
   * The reach of the party that names the destination, determined only when it matters. Absent: public addresses only.
   */
  readonly reach?: () => Promise<Reach>;
  /** The user opened it for another party, so it belongs to a private network. */
  readonly isForeign?: boolean;
}

/**
 * The addresses of a host, every one of which may be dialled.
 * @throws AppError `refused` when any must not be reached, else what `resolveHost` throws
 */
export async function judgeHost(
  host: string,
  access: HostAccess,
  resolve: Resolve,
  signal: AbortSignal,
  dnsMs?: number,
): Promise<readonly string[]> {
  const isLiteral = parseIp(host) !== undefined;
  const addresses = isLiteral ? [host] : await resolveHost(host, resolve, signal, dnsMs);
  if (access.kind === "allowed") return addresses.filter((one) => parseIp(one) !== undefined);
  const own = ownAddresses();
  for (const address of addresses) {
    if (forbiddenBecause(address, own) === undefined) continue;
    const what = forbiddenBecause(address, own, await access.reach?.());
    if (what === undefined) continue;
    throw refused(host, isLiteral ? `it is ${what}` : `its address ${address} is ${what}`, access);
  }
  return addresses;
}

/** @throws AppError `refused` when browsers refuse the port too. No setting opens it. */
export function assertPort(host: string, port: number): void {
  if (!isBadPort(port)) return;
  throw new AppError(
    "refused",
    `Refused to connect to "${host}" on port ${port}: that port belongs to a protocol other than HTTP.`,
  );
}

/** @throws AppError `refused` for names that need no resolver to be known as local */
export async function assertName(host: string, access: HostAccess): Promise<void> {
  if (access.kind === "allowed" || localNameBecause(host) === undefined) return;
  const what = localNameBecause(host, await access.reach?.());
  if (what !== undefined) throw refused(host, `it is ${what}`, access);
}

export function refused(host: string, why: string, { remedy }: JudgedAccess): AppError {
  return new AppError("refused", `Refused to connect to "${host}": ${why}. ${remedy}`);
}

/** All addresses of a name, in the order in which they should be tried. Throws, or gives none, when there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** A resolver whose server is mute goes on for more than 12 s (measured); a page is waited for 30 s in all. */
const dnsMsMax = 5_000;
/** No name has more addresses that matter; each is judged and remembered. */
const addressesMax = 64;

/**
 * Asks the system's resolver. On Linux without `getaddrinfo`, which blocks a thread of a small pool for each name
 * while it waits: a page could name hosts that never resolve. With 40 of these under way this one holds nothing up
 * (measured with Bun 1.4.5).
 */
export async function resolveBySystem(host: string): Promise<readonly string[]> {
  const backend = process.platform === "linux" ? "c-ares" : "system";
  const found = await Bun.dns.lookup(host, { backend });
  return found.map(({ address }) => address);
}

/**
 * Asks as other programs do, by the library's own resolver: it knows names of the local network that DNS does not, and
 * those that Bun's `fetch` reaches. For the few names that the user's own servers need.
 */
export async function resolveByLibrary(host: string): Promise<readonly string[]> {
  const found = await Bun.dns.lookup(host, { backend: "system" });
  return found.map(({ address }) => address);
}

/**
 * The addresses of `host`, once, within `deadlineMs`.
 * @throws AppError `system` when there is none, `cancelled`
 */
export async function resolveHost(
  host: string,
  resolve: Resolve,
  signal: AbortSignal,
  deadlineMs: number = dnsMsMax,
): Promise<readonly string[]> {
  const found = await withDeadline(host, resolve(host), signal, deadlineMs);
  const addresses = [...new Set(found)];
  if (addresses.length === 0) throw unresolved(host, "it has no address");
  if (addresses.length > addressesMax) throw unresolved(host, "it has too many addresses");
  return addresses;
}

async function withDeadline(
  host: string,
  lookup: Promise<readonly string[]>,
  signal: AbortSignal,
  deadlineMs: number,
): Promise<readonly string[]> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(cancelled(signal));
  const timer = setTimeout(
    () => reject(unresolved(host, `no answer from DNS within ${deadlineMs} ms`)),
    deadlineMs,
  );
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    if (signal.aborted) throw cancelled(signal);
    return await Promise.race([lookup, promise]);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw unresolved(host, reasonOf(error), error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    // The loser of the race settles later; nobody handles that.
    lookup.catch(() => undefined);
    promise.catch(() => undefined);
  }
}

export function cancelled(signal: AbortSignal): AppError {
  return new AppError("cancelled", "The request was cancelled.", { cause: signal.reason });
}

function reasonOf(error: unknown): string {
  const code = systemCodeOf(error)?.replace(/^DNS_/, "");
  if (code === "ENOTFOUND" || code === "ENODATA") return "DNS has no such name";
  return code ?? messageOf(error);
}

function unresolved(host: string, reason: string, cause?: unknown): AppError {
  return new AppError(
    "system",
    `Cannot resolve "${host}": ${reason}. Check the spelling and the network.`,
    { cause },
  );
}
