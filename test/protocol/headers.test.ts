import { expect, test } from "bun:test";

import { encodeTraceparent, parseTraceparent } from "../../src/protocol/headers.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";
const sampled = { traceId, spanId, isSampled: true };

test.each([
  [`00-${traceId}-${spanId}-01`, sampled],
  [`00-${traceId}-${spanId}-00`, { ...sampled, isSampled: false }],
  [`00-${traceId}-${spanId}-03`, sampled],
  // A later version may say more.
  [`01-${traceId}-${spanId}-01-more`, sampled],
  [`00-${traceId}-${spanId}-01-more`, undefined],
  [`ff-${traceId}-${spanId}-01`, undefined],
  [`00-${"0".repeat(32)}-${spanId}-01`, undefined],
  [`00-${traceId}-${"0".repeat(16)}-01`, undefined],
  [`00-${traceId.toUpperCase()}-${spanId}-01`, undefined],
  [`00-${traceId}-${spanId}-1`, undefined],
  [` 00-${traceId}-${spanId}-01`, undefined],
  [`01-${traceId}-${spanId}-01-${"x".repeat(1000)}`, undefined],
  ["", undefined],
  [undefined, undefined],
  [null, undefined],
  [7, undefined],
])("parseTraceparent(%j) is %j", (text, context) => {
  expect(parseTraceparent(text)).toEqual(context);
});

test.each([sampled, { ...sampled, isSampled: false }])(
  "encodeTraceparent writes what is read: %j",
  (context) => {
    expect(parseTraceparent(encodeTraceparent(context))).toEqual(context);
  },
);
