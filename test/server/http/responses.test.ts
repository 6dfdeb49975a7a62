import { expect, test } from "bun:test";

import { httpBodiesBytesMax } from "../../../src/base/limits.ts";
import { refuseBody } from "../../../src/server/http/responses.ts";
import { request } from "../harness.ts";
import { startEndpoint } from "./endpoint-fixture.ts";
import { post } from "./exchange.ts";

const fault = { code: -32600, message: "Invalid request" };

test.each<[400 | 408 | 413 | 415 | 503, string | null, string | null]>([
  [400, null, null],
  [408, "close", null],
  [413, "close", null],
  [415, null, null],
  [503, "close", "1"],
])("refuseBody() with %d: Connection %p, Retry-After %p", (status, connection, retryAfter) => {
  const { headers, status: answered } = refuseBody({ kind: "refused", status, fault });
  expect([answered, headers.get("connection"), headers.get("retry-after")]).toEqual([
    status,
    connection,
    retryAfter,
  ]);
});

test("a principal's part counts for its bodies too", async () => {
  using fixture = startEndpoint({ principalPart: 1000 / httpBodiesBytesMax });
  const length = { "content-length": "1001" };
  expect((await post(fixture, request(1, "ping"), length)).status).toBe(503);
  expect((await post(fixture, request(1, "ping"))).status).not.toBe(503);
});
