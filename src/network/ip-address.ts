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
 * what a resolver gives in another form is not an address to be trusted.
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
