import { describe, expect, test } from "bun:test";
import { bracketed, hostOf, isPrivateName, localNameBecause } from "../../src/network/host-name.ts";

describe("hostOf()", () => {
  /** The nine spellings of loopback, and what else a URL makes one of. */
  test.each([
    ["http://127.0.0.1/", "127.0.0.1"],
    ["http://127.0.0.1./", "127.0.0.1"],
    ["http://2130706433/", "127.0.0.1"],
    ["http://0x7f000001/", "127.0.0.1"],
    ["http://0177.0.0.1/", "127.0.0.1"],
    ["http://127.1/", "127.0.0.1"],
    ["http://0x7f.1/", "127.0.0.1"],
    ["http://foo@127.0.0.1/", "127.0.0.1"],
    ["http://0/", "0.0.0.0"],
    ["http://０x7f.１/", "127.0.0.1"],
    ["http://①②⑦.0.0.1/", "127.0.0.1"],
    ["http://[::ffff:127.0.0.1]/", "::ffff:7f00:1"],
    ["http://[0:0:0:0:0:0:0:1]/", "::1"],
    ["http://LOCALHOST./", "localhost"],
    ["http://ｌocalhost/", "localhost"],
    ["http://Bücher.example./", "xn--bcher-kva.example"],
  ])("of %s is %s", (url, host) => {
    expect(hostOf(new URL(url))).toBe(host);
  });

  test("zone ids are no URL", () => {
    expect(URL.parse("http://[fe80::1%25eth0]/")).toBeNull();
  });
});

test("bracketed() puts brackets around IPv6 alone", () => {
  expect(["::1", "1.2.3.4", "a.example"].map(bracketed)).toEqual(["[::1]", "1.2.3.4", "a.example"]);
});

test.each<[host: string, what: string | undefined]>([
  ["localhost", "a name of this machine"],
  ["a.b.localhost", "a name of this machine"],
  ["ip6-localhost", "a name of this machine"],
  ["metadata.google.internal", "a name of a cloud's metadata"],
  ["x.metadata.google.internal", "a name of a cloud's metadata"],
  ["notlocalhost", undefined],
  ["localhost.example", undefined],
  ["docs.example", undefined],
])("localNameBecause() of %s is %p", (host, what) => {
  expect(localNameBecause(host)).toBe(what);
});

test.each([
  ["wiki", true],
  ["printer.local", true],
  ["api.internal", true],
  ["nas.home.arpa", true],
  ["a.localhost", true],
  ["docs.example", false],
  ["local.example", false],
  ["10.0.0.1", false],
  ["::1", false],
])("isPrivateName() of %s is %p", (host, isPrivate) => {
  expect(isPrivateName(host)).toBe(isPrivate);
});
