import type { Reach } from "./address-rules.ts";
import { parseIp } from "./ip-address.ts";

const ofThisMachine = "a name of this machine";

/**
 * Names that lead into this machine or its cloud whatever a resolver says; a name below one of them does too.
 * The RFC 6761 gives `localhost` to every system itself.
 */
const localNames: readonly (readonly [name: string, what: string])[] = [
  ["localhost", ofThisMachine],
  ["localhost.localdomain", ofThisMachine],
  ["ip6-localhost", ofThisMachine],
  ["ip6-loopback", ofThisMachine],
  ["metadata.google.internal", "a name of a cloud's metadata"],
  ["metadata.goog", "a name of a cloud's metadata"],
  ["instance-data.ec2.internal", "a name of a cloud's metadata"],
];

/** Endings that are never public: RFC 6762 with its appendix G, RFC 8375, and names that ICANN does not assign. */
const privateEndings: readonly string[] = [
  "corp",
  "home",
  "home.arpa",
  "internal",
  "intranet",
  "lan",
  "local",
  "private",
];

/**
 * The host of a URL as the guard compares it: lower case, without the brackets of IPv6 and without the dot that
 * may end a name.
 */
export function hostOf(url: URL): string {
  const host = url.hostname;
  if (host.startsWith("[")) return host.slice(1, -1);
  return host.endsWith(".") ? host.slice(0, -1) : host;
}

/** For a URL or a Host header: an IPv6 address needs brackets. */
export function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/**
 * The reason to refuse the name itself, as the end of "… is"; undefined when its addresses decide.
 * @param reach of the party that names it
 */
export function localNameBecause(host: string, reach: Reach = "public"): string | undefined {
  const what = localNames.find(([name]) => host === name || host.endsWith(`.${name}`))?.[1];
  return reach === "machine" && what === ofThisMachine ? undefined : what;
}

/** True when only a private network can know the name: no dot, or a private ending. */
export function isPrivateName(host: string): boolean {
  if (parseIp(host) !== undefined) return false;
  return (
    !host.includes(".") ||
    localNameBecause(host) !== undefined ||
    privateEndings.some((ending) => host.endsWith(`.${ending}`))
  );
}
