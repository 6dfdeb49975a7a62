import { expect, jest, test } from "bun:test";

import { auditRefusalsMax, auditRefusalWindowMs } from "../../../../src/base/limits.ts";
import type { LineEntry } from "../../../../src/base/line-log.ts";
import { RefusedRequests } from "../../../../src/calls/policy/audit/refused-requests.ts";

const refused = { status: 401, reason: "It is wrong.", address: "192.0.2.1" };
const line = {
  time: expect.any(String) as unknown,
  refused: "token",
  decision: "denied",
  outcome: "refused",
};
const whole = { ...line, ...refused };

function watched(): { readonly requests: RefusedRequests; readonly lines: () => unknown[] } {
  const entries: LineEntry[] = [];
  const requests = new RefusedRequests({ add: (entry) => void entries.push(entry) });
  return {
    requests,
    lines: () => entries.splice(0).map((entry) => JSON.parse(entry() as string) as unknown),
  };
}

function flood(requests: RefusedRequests, count: number): void {
  for (let sent = 0; sent < count; sent += 1) requests.add(refused);
}

test("each has a line of its own, and what is more in a minute one together", () => {
  jest.useFakeTimers();
  try {
    const { requests, lines } = watched();
    flood(requests, auditRefusalsMax + 1_000_000);
    expect(lines()).toEqual(Array.from({ length: auditRefusalsMax }, () => whole));
    jest.advanceTimersByTime(auditRefusalWindowMs);
    expect(lines()).toEqual([{ ...line, more: 1_000_000 }]);
    // A flood that goes on has one line a minute, until there is a minute without.
    flood(requests, 5);
    jest.advanceTimersByTime(auditRefusalWindowMs);
    expect(lines()).toEqual([{ ...line, more: 5 }]);
    jest.advanceTimersByTime(auditRefusalWindowMs);
    requests.add({ ...refused, tool: "Bash", owner: "me" });
    expect(lines()).toEqual([{ ...whole, tool: "Bash", owner: "me" }]);
    flood(requests, auditRefusalsMax);
    lines();
    requests[Symbol.dispose]();
    expect(lines()).toEqual([{ ...line, more: 1 }]);
  } finally {
    jest.useRealTimers();
  }
});
