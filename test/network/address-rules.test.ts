import { describe, expect, test } from "bun:test";
import { forbiddenBecause, isLoopback, ownAddresses } from "../../src/network/address-rules.ts";

const nobody: ReadonlySet<string> = new Set();
const verdict = (address: string): string => forbiddenBecause(address, nobody) ?? "open";

describe("forbiddenBecause()", () => {
  /** Each border: the last address before a range, its first, its last, and the first behind it. */
  test.each<[below: string, first: string, last: string, above: string, what: string]>([
    ["-", "0.0.0.0", "0.255.255.255", "1.0.0.0", "an unspecified address"],
    ["9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0", "a private address"],
    [
      "100.63.255.255",
      "100.64.0.0",
      "100.127.255.255",
      "100.128.0.0",
      "a carrier-grade NAT address",
    ],
    ["126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0", "a loopback address"],
    ["169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0", "a link-local address"],
    ["172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0", "a private address"],
    ["191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0", "a reserved address"],
    ["192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0", "an address for documentation"],
    ["192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0", "a reserved address"],
    ["192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0", "a private address"],
    ["198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0", "an address for benchmarks"],
    [
      "198.51.99.255",
      "198.51.100.0",
      "198.51.100.255",
      "198.51.101.0",
      "an address for documentation",
    ],
    [
      "203.0.112.255",
      "203.0.113.0",
      "203.0.113.255",
      "203.0.114.0",
      "an address for documentation",
    ],
    ["223.255.255.255", "224.0.0.0", "239.255.255.255", "-", "a multicast address"],
    ["-", "240.0.0.0", "255.255.255.254", "-", "a reserved address"],
    ["-", "255.255.255.255", "255.255.255.255", "-", "the broadcast address"],
    ["-", "100.100.100.200", "100.100.100.200", "-", "a cloud metadata address"],
    ["-", "169.254.169.254", "169.254.169.254", "-", "a cloud metadata address"],
    [
      "168.63.129.15",
      "168.63.129.16",
      "168.63.129.16",
      "168.63.129.17",
      "a cloud metadata address",
    ],
    ["-", "192.0.0.192", "192.0.0.192", "-", "a cloud metadata address"],
    ["-", "::", "::", "-", "an unspecified address"],
    ["-", "::1", "::1", "-", "a loopback address"],
    ["-", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "-", "a local NAT64 address"],
    ["-", "100::", "100::ffff:ffff:ffff:ffff", "-", "a reserved address"],
    ["-", "200::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::", "a reserved address"],
    [
      "2001:1:ffff:ffff:ffff:ffff:ffff:ffff",
      "2001:2::",
      "2001:2:0:ffff:ffff:ffff:ffff:ffff",
      "2001:2:1::",
      "an address for benchmarks",
    ],
    [
      "2001:f:ffff:ffff:ffff:ffff:ffff:ffff",
      "2001:10::",
      "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff",
      "2001:30::",
      "a reserved address",
    ],
    [
      "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
      "2001:db8::",
      "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
      "2001:db9::",
      "an address for documentation",
    ],
    [
      "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
      "3fff::",
      "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
      "3fff:1000::",
      "an address for documentation",
    ],
    ["3fff:ffff::", "4000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "-", "a reserved address"],
    ["-", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "-", "a private address"],
    ["-", "fd00:ec2::", "fd00:ec2:ffff:ffff:ffff:ffff:ffff:ffff", "-", "a cloud metadata address"],
    ["-", "fd20:ce::254", "fd20:ce::254", "-", "a cloud metadata address"],
    ["-", "fe00::", "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "-", "a reserved address"],
    ["-", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "-", "a link-local address"],
    ["-", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "-", "a private address"],
    ["-", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "-", "a multicast address"],
  ])("between %s and %s…%s and %s is %s", (below, first, last, above, what) => {
    const row = [below, first, last, above].map((one) => (one === "-" ? "-" : verdict(one)));
    const open = (one: string): string => (one === "-" ? "-" : "open");
    expect(row).toEqual([open(below), what, what, open(above)]);
  });

  test.each([
    ["mapped", "::ffff:"],
    ["compatible", "::"],
    ["NAT64", "64:ff9b::"],
    ["6to4", "2002:"],
    ["Teredo, its server", "2001:0:"],
    ["Teredo, its client", "2001:0:808:808:0:0:"],
    ["ISATAP", "2a00:1450:4001:82a:0:5efe:"],
    ["ISATAP of a global address", "2a00:1450:4001:82a:200:5efe:"],
  ])("judges the IPv4 address inside: %s", (kind, prefix) => {
    const groups = (bits: number): string =>
      `${(bits >>> 16).toString(16)}:${(bits & 0xffff).toString(16)}`;
    const write = (bits: number): string => {
      if (kind === "Teredo, its client") return prefix + groups(~bits);
      if (kind === "Teredo, its server")
        return `${prefix}${groups(bits)}:0:0:${groups(~0x0808_0808)}`;
      return kind === "6to4" ? `${prefix}${groups(bits)}::1` : prefix + groups(bits);
    };
    expect([0x7f00_0001, 0x0a00_0001, 0xa9fe_a9fe].map((bits) => verdict(write(bits)))).toEqual([
      "a loopback address inside an IPv6 address",
      "a private address inside an IPv6 address",
      "a cloud metadata address inside an IPv6 address",
    ]);
    // Compatible addresses are not dialled by anybody: the form itself is reserved.
    expect(verdict(write(0x0808_0808))).toBe(kind === "compatible" ? "a reserved address" : "open");
  });

  test.each(["1.1.1.1", "8.8.8.8", "104.16.0.1", "2606:4700::1111", "2a00:1450:4001:82a::200e"])(
    "%s is open",
    (address) => {
      expect(verdict(address)).toBe("open");
    },
  );

  test.each(["", "localhost", "fe80::1%eth0", "0177.0.0.1", "1.2.3"])(
    "what is no address is not open: %p",
    (text) => {
      expect(verdict(text)).toBe("not a valid IP address");
    },
  );

  test("an address of one's own is refused, inside IPv6 too", () => {
    const own = new Set(["4 134744072", "6 42541956123769884636017138956568135816"]);
    const rows = ["8.8.8.8", "::ffff:808:808", "2001:4860:4860::8888", "8.8.4.4"];
    const mine = "an address of this machine";
    expect(rows.map((address) => forbiddenBecause(address, own))).toEqual([
      mine,
      mine,
      mine,
      undefined,
    ]);
  });

  test("ownAddresses() has the loopback interface of this machine", () => {
    expect(ownAddresses().has("4 2130706433")).toBe(true);
  });
});

test("isLoopback() tells what leads to this machine", () => {
  const rows = ["127.0.0.1", "127.255.255.255", "::1", "128.0.0.1", "::2", "localhost"];
  expect(rows.map(isLoopback)).toEqual([true, true, true, false, false, false]);
});
