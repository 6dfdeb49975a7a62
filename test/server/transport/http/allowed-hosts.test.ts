import { expect, test } from "bun:test";

import {
  AllowedHosts,
  hostOfAddress,
} from "../../../../src/server/transport/http/request-guard.ts";

test.each([
  ["127.0.0.2", "127.0.0.2"],
  ["192.168.1.5", "192.168.1.5"],
  ["Box.LAN", "box.lan"],
  ["fd00::1", "[fd00::1]"],
  ["FD00:0:0:0:0:0:0:1", "[fd00::1]"],
  ["::ffff:192.168.1.5", "[::ffff:c0a8:105]"],
  // What Bun makes of it, and what it prints.
  ["127.2", "127.0.0.2"],
])("hostOfAddress(%p) is %p, and allowed with any port", (address, expected) => {
  const name = hostOfAddress(address);
  expect(name).toBe(expected);
  const hosts = new AllowedHosts([name ?? ""]);
  expect(["", ":8808"].map((port) => hosts.allows(`${expected}${port}`))).toEqual([true, true]);
});

test.each([
  "0.0.0.0",
  "0",
  "0x0",
  "::",
  "0:0:0:0:0:0:0:0",
  "::ffff:0.0.0.0",
  "*",
  "",
  "a b",
  "[::1",
])("hostOfAddress(%p) is no name that a client could use", (address) => {
  expect(hostOfAddress(address)).toBe(undefined);
});
