import { describe, expect, test } from "bun:test";

import { readHubStatus, statusCharsMax } from "../../../src/hub/watch/hub-status.ts";
import { status } from "./watch-pair.ts";

const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("readHubStatus()", () => {
  test("gives a status as it is", () => {
    expect(readHubStatus(copy(status))).toEqual(status);
    expect(readHubStatus(copy({ ...status, endsWith: "cursor (pid 10)" }))?.endsWith).toBe(
      "cursor (pid 10)",
    );
  });

  test("leaves out fields that it does not know", () => {
    const later = { ...status, mood: "good", servers: [{ ...status.servers[0], colour: 1 }] };
    expect(readHubStatus(copy(later))).toEqual({ ...status, servers: status.servers.slice(0, 1) });
  });

  test.each([
    ["null", null],
    ["a list", []],
    ["a text for a number", { ...status, pid: "4242" }],
    ["a negative number", { ...status, startedAt: -1 }],
    ["a number for a text", { ...status, log: 1 }],
    ["a missing field", { ...status, version: undefined }],
  ])("refuses %s", (_, value) => {
    expect(readHubStatus(copy(value))).toBeUndefined();
  });

  test("counts the rows that it cannot read, and keeps the others", () => {
    const broken = {
      ...status,
      clients: [...status.clients, null, { pid: -4, sinceMs: 1 }],
      servers: [{ name: 1 }, ...status.servers],
      kept: "none",
      hints: [...status.hints, 4],
      leftOut: 2,
    };
    expect(readHubStatus(copy(broken))).toEqual({ ...status, kept: [], leftOut: 6 });
  });

  test("is bounded, whatever the hub or its other side has: [U-flood] rows, users, texts", () => {
    const bad = "\u0001".repeat(10_000);
    const server = {
      name: bad,
      state: bad,
      isolation: bad,
      workspace: bad,
      users: Array.from({ length: 10_000 }, (_, pid) => pid),
    };
    const task = { id: 1, workspace: bad, command: bad, state: bad };
    const read = readHubStatus({
      ...status,
      clients: Array.from({ length: 10_000 }, () => ({ ...status.clients[0], name: bad })),
      servers: Array.from({ length: 10_000 }, () => server),
      kept: Array.from({ length: 10_000 }, () => task),
      hints: Array.from({ length: 10_000 }, () => bad),
    });
    expect(read?.leftOut).toBe(40_000 - 128 - 256 - 128 - 32);
    expect(read?.servers[0]?.users.length).toBe(64);
    expect(read?.servers[0]?.name.length).toBe(300);
    expect(JSON.stringify(read).length).toBeLessThan(statusCharsMax);
    // A reader counts no row twice.
    expect(readHubStatus(copy(read))).toEqual(read);
  });
});
