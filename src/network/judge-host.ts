import { AppError } from "../base/errors.ts";
import { forbiddenBecause, ownAddresses, type Reach } from "./address-rules.ts";
import { localNameBecause } from "./host-name.ts";
import { parseIp } from "./ip-address.ts";
import { isBadPort } from "./port-rules.ts";
import { resolveHost, type Resolve } from "./resolve-host.ts";

export interface Destination {
  /** As `hostOf` gives it. */
  readonly host: string;
  readonly port: number;
}

/** Whether a destination is open regardless of its addresses. */
export type Standing = { readonly kind: "allowed" } | JudgedStanding;

interface JudgedStanding {
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
  standing: Standing,
  resolve: Resolve,
  signal: AbortSignal,
  dnsMs?: number,
): Promise<readonly string[]> {
  const isLiteral = parseIp(host) !== undefined;
  const addresses = isLiteral ? [host] : await resolveHost(host, resolve, signal, dnsMs);
  if (standing.kind === "allowed") return addresses.filter((one) => parseIp(one) !== undefined);
  const own = ownAddresses();
  for (const address of addresses) {
    if (forbiddenBecause(address, own) === undefined) continue;
    const what = forbiddenBecause(address, own, await standing.reach?.());
    if (what === undefined) continue;
    throw refused(
      host,
      isLiteral ? `it is ${what}` : `its address ${address} is ${what}`,
      standing,
    );
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
export async function assertName(host: string, standing: Standing): Promise<void> {
  if (standing.kind === "allowed" || localNameBecause(host) === undefined) return;
  const what = localNameBecause(host, await standing.reach?.());
  if (what !== undefined) throw refused(host, `it is ${what}`, standing);
}

export function refused(host: string, why: string, { remedy }: JudgedStanding): AppError {
  return new AppError("refused", `Refused to connect to "${host}": ${why}. ${remedy}`);
}
