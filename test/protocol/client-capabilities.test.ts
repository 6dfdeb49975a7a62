import { describe, expect, test } from "bun:test";

import {
  noClientCapabilities,
  readEnvelope,
  type EnvelopeReading,
} from "../../src/protocol/client-capabilities.ts";
import { readProgressToken } from "../../src/protocol/message.ts";

const V = "io.modelcontextprotocol/protocolVersion";
const C = "io.modelcontextprotocol/clientCapabilities";
const capabilities = noClientCapabilities;
const I = "io.modelcontextprotocol/clientInfo";

function fault(code: number, message: string, data?: unknown): EnvelopeReading {
  const value = data === undefined ? { code, message } : { code, message, data };
  return { kind: "fault", fault: value };
}

describe("readEnvelope()", () => {
  test.each([
    [{ [V]: "2026-07-28", [C]: {} }, undefined],
    [{ [V]: "2026-07-28", [C]: {}, [I]: { name: "cursor" } }, "cursor"],
    [{ [V]: "2026-07-28", [C]: {}, [I]: { name: 5 } }, undefined],
    [{ [V]: "2026-07-28", [C]: {}, [I]: "cursor" }, undefined],
  ])("accepts %j", (meta, clientName) => {
    expect(readEnvelope(meta)).toEqual({
      kind: "envelope",
      envelope: { version: "2026-07-28", clientName, capabilities, logLevel: undefined },
    });
  });

  test.each([[{ [C]: {} }], [{ [V]: 5, [C]: {} }]])("refuses the version in %j", (meta) => {
    const message = `Invalid params: params._meta["${V}"] must be a string`;
    expect(readEnvelope(meta)).toEqual(fault(-32602, message));
  });

  test.each([[{ [V]: "2026-07-28" }], [{ [V]: "1999-01-01", [C]: [] }]])(
    "refuses the capabilities in %j before it looks at the version",
    (meta) => {
      const message = `Invalid params: params._meta["${C}"] must be an object`;
      expect(readEnvelope(meta)).toEqual(fault(-32602, message));
    },
  );

  test.each(["1999-01-01", "2025-11-25", ""])("does not serve %p", (requested) => {
    expect(readEnvelope({ [V]: requested, [C]: {} })).toEqual(
      fault(-32022, "Unsupported protocol version", { supported: ["2026-07-28"], requested }),
    );
  });
});

describe("readProgressToken()", () => {
  test.each([
    [{ _meta: { progressToken: 0 } }, 0],
    [{ _meta: { progressToken: "" } }, ""],
    [{ _meta: { progressToken: 1.5 } }, undefined],
    [{ _meta: { progressToken: null } }, undefined],
    [{ _meta: 5 }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])("of %j is %p", (params, token) => {
    expect(readProgressToken(params)).toBe(token);
  });
});
