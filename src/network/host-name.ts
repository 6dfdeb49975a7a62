import { parseIp, type Reach } from "./address-rules.ts";

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

/**
 * Ports that browsers refuse for http and https, because what listens there takes lines of HTTP for commands of
 * its own (Fetch standard, "port blocking").
 */
const badPorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
]);

export function isBadPort(port: number): boolean {
  return badPorts.has(port);
}

/** The port that a URL of http or https goes to. */
export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}
