import { expect, test } from "bun:test";

import { type ActiveRequest, InFlight } from "../../../src/server/connection/active-request.ts";
import { createRequest } from "../fake-request.ts";

function begun(...ids: (string | number)[]): { inFlight: InFlight; requests: ActiveRequest[] } {
  const inFlight = new InFlight();
  const requests = ids.map((id) => createRequest({ id }));
  for (const request of requests) inFlight.begin(request);
  return { inFlight, requests };
}

test.each([
  [[1], 1],
  [[1, 2, 3], 1],
  [[1, 2, 3], 2],
  [["1", 1], 1],
  [[0, ""], ""],
  [["", 0], ""],
])("InFlight with %p: what has ended is not there, the others are", (ids, ended) => {
  const { inFlight, requests } = begun(...ids);
  for (const request of requests) if (request.id === ended) inFlight.end(request);
  expect(ids.map((id) => inFlight.has(id))).toEqual(ids.map((id) => id !== ended));
  expect(inFlight.size).toBe(ids.length - 1);
});

test.each([[[1]], [[1, 2]], [["a", "b", "c"]]])("InFlight.cancelAll() of %p", async (ids) => {
  const { inFlight, requests } = begun(...ids);
  inFlight.cancelAll();
  expect(requests.map(({ isCancelled }) => isCancelled)).toEqual(ids.map(() => true));
  expect(inFlight.size).toBe(0);
  const settled = inFlight.settled();
  for (const request of requests) inFlight.end(request);
  await settled;
});

test("InFlight.cancel() frees the id at once", () => {
  const { inFlight, requests } = begun(1, 2);
  inFlight.cancel(1);
  inFlight.cancel(2);
  inFlight.cancel(3);
  expect([inFlight.has(1), inFlight.has(2), inFlight.size]).toEqual([false, false, 0]);
  expect(requests.every(({ isCancelled }) => isCancelled)).toBe(true);
});

test.each([[1], [2]])(
  "InFlight.end() of a cancelled request leaves the one that has taken its id %p",
  (id) => {
    const { inFlight, requests } = begun(1, 2);
    const cancelled = requests.find((request) => request.id === id);
    const successor = createRequest({ id });
    inFlight.cancel(id);
    inFlight.begin(successor);
    if (cancelled !== undefined) inFlight.end(cancelled);
    expect([inFlight.has(id), inFlight.size]).toEqual([true, 2]);
    inFlight.cancel(id);
    expect([successor.isCancelled, inFlight.has(id), inFlight.size]).toEqual([true, false, 1]);
  },
);
