import { networkInterfaces } from "node:os";

/** An address as a number, so that ranges are comparisons. */
export interface IpAddress {
  readonly family: 4 | 6;
  /** 32 or 128 bits. */
  readonly bits: bigint;
}

/** A block of addresses: those that begin with the first `length` bits of `first`. */
export interface IpRange {
  readonly first: IpAddress;
  readonly length: number;
}

const widthOf = (family: 4 | 6): number => (family === 4 ? 32 : 128);

/**
 * The address that `text` is: four decimal numbers, or any spelling of RFC 4291 section 2.2 without brackets.
 * Undefined for everything else, zone ids included: a URL's host is brought into these forms by `URL`, and
 * an address in another form, from a resolver, is not to be trusted.
 */
export function parseIp(text: string): IpAddress | undefined {
  const bits = text.includes(":") ? parseSix(text) : parseFour(text);
  return bits === undefined ? undefined : { family: text.includes(":") ? 6 : 4, bits };
}

function parseFour(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let bits = 0n;
  for (const part of parts) {
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined;
    bits = (bits << 8n) | BigInt(part);
  }
  return bits;
}

function parseSix(text: string): bigint | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const before = groupsOf(halves[0] ?? "", halves.length === 1);
  const after = groupsOf(halves[1] ?? "", true);
  if (before === undefined || after === undefined) return undefined;
  const missing = 8 - before.length - after.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...before, ...Array<bigint>(missing).fill(0n), ...after];
  return groups.reduce((bits, group) => (bits << 16n) | group, 0n);
}

/** The groups of 16 bits in `text`; the last may be an IPv4 address when `isEnd`. */
function groupsOf(text: string, isEnd: boolean): bigint[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const groups: bigint[] = [];
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(BigInt(`0x${part}`));
      continue;
    }
    const four = isEnd && index === parts.length - 1 ? parseFour(part) : undefined;
    if (four === undefined) return undefined;
    groups.push(four >> 16n, four & 0xffffn);
  }
  return groups;
}

/** The range that `text` is, as in `10.0.0.0/8`; an address alone is a range of one. Undefined for anything else. */
export function parseRange(text: string): IpRange | undefined {
  const [address = "", length, ...more] = text.split("/");
  const first = parseIp(address);
  if (first === undefined || more.length > 0) return undefined;
  if (length === undefined) return { first, length: widthOf(first.family) };
  if (!/^\d{1,3}$/.test(length) || Number(length) > widthOf(first.family)) return undefined;
  return { first, length: Number(length) };
}

export function isInRange(address: IpAddress, range: IpRange): boolean {
  if (address.family !== range.first.family) return false;
  const shift = BigInt(widthOf(address.family) - range.length);
  return address.bits >> shift === range.first.bits >> shift;
}

/**
 * Addresses that are refused, with the name of each kind. The first matching row gives the name, so single addresses
 * precede the ranges that contain them. From the registries of special-purpose addresses (RFC 6890 and its updates) and
 * the documentation of the clouds.
 */
const rows: readonly (readonly [range: string, what: string])[] = [
  ["169.254.169.254/32", "a cloud metadata address"],
  ["100.100.100.200/32", "a cloud metadata address"],
  ["168.63.129.16/32", "a cloud metadata address"],
  ["192.0.0.192/32", "a cloud metadata address"],
  ["0.0.0.0/8", "an unspecified address"],
  ["10.0.0.0/8", "a private address"],
  ["100.64.0.0/10", "a carrier-grade NAT address"],
  ["127.0.0.0/8", "a loopback address"],
  ["169.254.0.0/16", "a link-local address"],
  ["172.16.0.0/12", "a private address"],
  ["192.0.0.0/24", "a reserved address"],
  ["192.0.2.0/24", "an address for documentation"],
  ["192.88.99.0/24", "a reserved address"],
  ["192.168.0.0/16", "a private address"],
  ["198.18.0.0/15", "an address for benchmarks"],
  ["198.51.100.0/24", "an address for documentation"],
  ["203.0.113.0/24", "an address for documentation"],
  ["224.0.0.0/4", "a multicast address"],
  ["255.255.255.255/32", "the broadcast address"],
  ["240.0.0.0/4", "a reserved address"],

  ["fd00:ec2::/32", "a cloud metadata address"],
  ["fd20:ce::254/128", "a cloud metadata address"],
  ["::/128", "an unspecified address"],
  ["::1/128", "a loopback address"],
  ["64:ff9b:1::/48", "a local NAT64 address"],
  ["100::/64", "a reserved address"],
  ["2001:2::/48", "an address for benchmarks"],
  ["2001:10::/28", "a reserved address"],
  ["2001:20::/28", "a reserved address"],
  ["2001:db8::/32", "an address for documentation"],
  ["3fff::/20", "an address for documentation"],
  ["fc00::/7", "a private address"],
  ["fe80::/10", "a link-local address"],
  ["fec0::/10", "a private address"],
  ["ff00::/8", "a multicast address"],
];

/** IPv6 outside 2000::/3 is unassigned (RFC 4291 section 2.4), apart from addresses that embed an IPv4 address. */
const unassigned = "a reserved address";

/** The position of an embedded IPv4 address in an IPv6 address: its lowest bit, counted from the right. */
const embeddings: readonly {
  readonly range: IpRange;
  readonly shifts: readonly bigint[];
  /** Teredo writes the client's address with all bits inverted. */
  readonly inverted?: boolean;
}[] = [
  { range: rangeOf("::ffff:0:0/96"), shifts: [0n] },
  { range: rangeOf("::/96"), shifts: [0n] },
  { range: rangeOf("64:ff9b::/96"), shifts: [0n] },
  { range: rangeOf("2002::/16"), shifts: [80n] },
  { range: rangeOf("2001::/32"), shifts: [64n] },
  { range: rangeOf("2001::/32"), shifts: [0n], inverted: true },
];

const denied = rows.map(([range, what]) => ({ range: rangeOf(range), what }));
const global = rangeOf("2000::/3");
const translated = ["::ffff:0:0/96", "64:ff9b::/96"].map(rangeOf);
const loopback = ["127.0.0.0/8", "::1/128"].map(rangeOf);
const fourMask = 0xffff_ffffn;

function rangeOf(text: string): IpRange {
  const range = parseRange(text);
  if (range === undefined) throw new Error(`Not an address range: ${text}`);
  return range;
}

/**
 * The addresses that a party may send scorpiox-code to: public ones, those of private networks too, or this machine as
 * well.
 */
export type Reach = "public" | "network" | "machine";

/** Reaches, from the narrowest to the widest. */
export const reaches: readonly Reach[] = ["public", "network", "machine"];

/** Kinds of addresses that offer no service to other machines: no reach opens them. */
const closed: ReadonlySet<string> = new Set([
  "a cloud metadata address",
  "an unspecified address",
  "a link-local address",
  "a multicast address",
  "the broadcast address",
]);
const ownAddress = "an address of this machine";
const insideSix = " inside an IPv6 address";

/**
 * The reason to refuse the address `text`, as the end of "… is"; undefined when it is allowed. Text that is not an
 * address is refused.
 * @param own addresses of this machine's interfaces
 * @param reach of the party that names it
 */
export function forbiddenBecause(
  text: string,
  own: ReadonlySet<string>,
  reach: Reach = "public",
): string | undefined {
  const address = parseIp(text);
  if (address === undefined) return "not a valid IP address";
  const what = judged(address) ?? (own.has(keyOf(address)) ? ownAddress : undefined);
  if (what === undefined || reach === "public") return what;
  const needed = neededFor(what);
  const isOpen = needed !== undefined && reaches.indexOf(needed) <= reaches.indexOf(reach);
  return isOpen ? undefined : what;
}

/**
 * The reach of a party at the address `text`: it may send scorpiox-code to addresses that it can connect to itself.
 * @param own addresses of this machine's interfaces
 */
export function reachFrom(text: string, own: ReadonlySet<string>): Reach {
  const what = forbiddenBecause(text, own);
  return (what === undefined ? undefined : neededFor(what)) ?? "public";
}

/** Undefined: no reach opens it. */
function neededFor(what: string): Reach | undefined {
  const kind = what.endsWith(insideSix) ? what.slice(0, -insideSix.length) : what;
  if (closed.has(kind)) return undefined;
  return kind === ownAddress || kind === "a loopback address" ? "machine" : "network";
}

function judged(address: IpAddress): string | undefined {
  const row = denied.find(({ range }) => isInRange(address, range));
  if (row !== undefined) return row.what;
  if (address.family === 4) return undefined;
  for (const inner of innerAddresses(address)) {
    const what = judged(inner);
    if (what !== undefined) return `${what}${insideSix}`;
  }
  const isOpen =
    isInRange(address, global) || translated.some((range) => isInRange(address, range));
  return isOpen ? undefined : unassigned;
}

/** The IPv4 addresses that an IPv6 address embeds or leads to. */
function innerAddresses(address: IpAddress): IpAddress[] {
  const inner = embeddings
    .filter(({ range }) => isInRange(address, range))
    .flatMap(({ shifts, inverted }) =>
      shifts.map((shift) => (address.bits >> shift) ^ (inverted === true ? fourMask : 0n)),
    );
  // ISATAP (RFC 5214): the interface's half is 0000:5efe or 0200:5efe and the address, behind any prefix.
  if (((address.bits >> 32n) & 0xfdff_ffffn) === 0x0000_5efen) inner.push(address.bits);
  return inner.map((bits) => ({ family: 4, bits: bits & fourMask }));
}

/** The machine's own addresses: a public one also leads to its services. */
export function ownAddresses(): ReadonlySet<string> {
  const own = new Set<string>();
  for (const entries of Object.values(networkInterfaces())) {
    for (const entry of entries ?? []) {
      const address = parseIp(entry.address.split("%")[0] ?? "");
      if (address !== undefined) own.add(keyOf(address));
    }
  }
  return own;
}

/** One key for all spellings; an IPv4 address inside an IPv6 one has that of the IPv4 address. */
function keyOf(address: IpAddress): string {
  const isTranslated = translated.some((range) => isInRange(address, range));
  return isTranslated ? `4 ${address.bits & fourMask}` : `${address.family} ${address.bits}`;
}

/** True for an address that leads to this machine without a network. */
export function isLoopback(text: string): boolean {
  const address = parseIp(text);
  return address !== undefined && loopback.some((range) => isInRange(address, range));
}
