import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isInRange, parseIp, parseRange } from "../../src/network/address-rules.ts";

describe("parseIp()", () => {
  test.each<[text: string, family: 4 | 6, bits: bigint]>([
    ["0.0.0.0", 4, 0n],
    ["127.0.0.1", 4, 0x7f00_0001n],
    ["255.255.255.255", 4, 0xffff_ffffn],
    ["::", 6, 0n],
    ["::1", 6, 1n],
    ["1::", 6, 1n << 112n],
    ["::ffff:127.0.0.1", 6, 0xffff_7f00_0001n],
    ["::FFFF:7F00:1", 6, 0xffff_7f00_0001n],
    ["64:ff9b::10.0.0.1", 6, (0x64n << 112n) | (0xff9bn << 96n) | 0x0a00_0001n],
    ["1:2:3:4:5:6:7:8", 6, 0x0001_0002_0003_0004_0005_0006_0007_0008n],
    ["1:2:3:4:5:6:7::", 6, 0x0001_0002_0003_0004_0005_0006_0007_0000n],
  ])("reads %s", (text, family, bits) => {
    expect(parseIp(text)).toEqual({ family, bits });
  });

  test.each([
    "",
    "1",
    "1.2.3",
    "1.2.3.4.5",
    "01.2.3.4",
    "0x7f.0.0.1",
    "1.2.3.256",
    "1.2.3.-4",
    "1.2.3.4 ",
    ":",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7:8::",
    "::12345",
    "::g",
    "1.2.3.4::",
    "::1.2.3.4:5",
    "::1.2.3",
    "fe80::1%eth0",
    "[::1]",
    "localhost",
  ])("takes %p for no address", (text) => {
    expect(parseIp(text)).toBeUndefined();
  });

  test("agrees with URL on every IPv4 address", () => {
    fc.assert(
      fc.property(fc.ipV4(), (text) => {
        expect(parseIp(new URL(`http://${text}/`).hostname)).toEqual(parseIp(text));
      }),
    );
  });

  test("reads whatever form of an IPv6 address URL makes of it", () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        expect(parseIp(text)).toBeDefined();
        // Bun's URL refuses a few right ones, such as 1:2::3:4:5.6.7.8: nothing to compare with.
        const canonical = URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1);
        if (canonical !== undefined) expect(parseIp(canonical)).toEqual(parseIp(text));
      }),
    );
  });
});

describe("parseRange()", () => {
  test.each([
    ["10.0.0.0/8", 8],
    ["10.0.0.1", 32],
    ["::1", 128],
    ["fc00::/7", 7],
    ["0.0.0.0/0", 0],
  ])("reads %s", (text, length) => {
    expect(parseRange(text)).toMatchObject({ length });
  });

  test.each(["", "10.0.0.0/33", "10.0.0.0/8/8", "::/129", "10/8", "10.0.0.0/", "a.example/8"])(
    "takes %p for no range",
    (text) => {
      expect(parseRange(text)).toBeUndefined();
    },
  );
});

describe("isInRange()", () => {
  test.each([
    ["9.255.255.255", "10.0.0.0/8", false],
    ["10.0.0.0", "10.0.0.0/8", true],
    ["10.255.255.255", "10.0.0.0/8", true],
    ["11.0.0.0", "10.0.0.0/8", false],
    ["::a00:1", "10.0.0.0/8", false],
    ["1.2.3.4", "0.0.0.0/0", true],
  ])("%s in %s: %p", (address, range, isIn) => {
    const [one, all] = [parseIp(address), parseRange(range)];
    if (one === undefined || all === undefined) throw new Error("not a row");
    expect(isInRange(one, all)).toBe(isIn);
  });
});
