import { describe, expect, test } from "bun:test";

import type { ProtocolFault, RequestId } from "../../../../src/protocol/json-rpc.ts";
import { classifyMessage } from "../../../../src/protocol/message.ts";
import {
  checkSessionVersion,
  decideEra,
  type EraDecision,
} from "../../../../src/server/transport/http/version-header.ts";

const V = "io.modelcontextprotocol/protocolVersion";
const C = "io.modelcontextprotocol/clientCapabilities";
const envelope = { [V]: "2026-07-28", [C]: {} };
const legacyVersions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

function decide(header: string | undefined, value: unknown): EraDecision {
  return decideEra({ header, message: classifyMessage(value) });
}

function request(method: string, meta?: unknown): unknown {
  return { jsonrpc: "2.0", id: 0, method, params: meta === undefined ? {} : { _meta: meta } };
}

function refused(code: number, message: string, id?: RequestId): EraDecision {
  return { kind: "refused", status: 400, fault: { code, message }, id };
}

const modern: EraDecision = { kind: "modern" };
const legacy: EraDecision = { kind: "legacy" };
const unknown = (header: string, id?: RequestId): EraDecision =>
  refused(
    -32600,
    `Invalid request: MCP-Protocol-Version ${JSON.stringify(header)} is unknown; known are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28`,
    id,
  );
const noVersion = refused(-32602, `Invalid params: params._meta["${V}"] must be a string`, 0);
const noCapabilities = refused(-32602, `Invalid params: params._meta["${C}"] must be an object`, 0);

describe("decideEra(), requests", () => {
  test.each<[string, string | undefined, unknown, EraDecision]>([
    ["a modern request", "2026-07-28", request("tools/list", envelope), modern],
    // The header is compared with the envelope later: what is wrong with it is -32020 then.
    ["a modern request without header", undefined, request("tools/list", envelope), modern],
    ["a modern request with a legacy header", "2025-11-25", request("x", envelope), modern],
    ["a modern request with a strange header", "x", request("x", envelope), modern],
    ["an unserved version", "2027-01-01", request("x", { ...envelope, [V]: "2027-01-01" }), modern],
    [
      "a legacy version in the envelope",
      "x",
      request("x", { ...envelope, [V]: "2025-11-25" }),
      modern,
    ],
    ["initialize with envelope", "2026-07-28", request("initialize", envelope), modern],
    ["an envelope without version", "2026-07-28", request("x", { [C]: {} }), noVersion],
    ["an envelope with a number", "2026-07-28", request("x", { ...envelope, [V]: 5 }), noVersion],
    [
      "an envelope without capabilities",
      undefined,
      request("x", { [V]: "2026-07-28" }),
      noCapabilities,
    ],
    ["a modern header without envelope", "2026-07-28", request("tools/list"), noVersion],
    [
      "a modern header with other meta",
      "2026-07-28",
      request("x", { progressToken: 1 }),
      noVersion,
    ],
    ["initialize with a modern header", "2026-07-28", request("initialize"), noVersion],
    ["no header, no envelope", undefined, request("tools/list"), legacy],
    ["initialize", undefined, request("initialize"), legacy],
    ["server/discover without envelope", undefined, request("server/discover"), noVersion],
    ["the same with a legacy header", "2025-11-25", request("server/discover"), noVersion],
    ["an unknown header", "1999-01-01", request("tools/list"), unknown("1999-01-01", 0)],
    ["an unknown header of initialize", "x", request("initialize"), unknown("x", 0)],
    ["an empty header", "", request("tools/list"), unknown("", 0)],
    ["two headers", "2025-11-25, 2025-11-25", request("x"), unknown("2025-11-25, 2025-11-25", 0)],
    ["a long header", "x".repeat(5000), request("x"), unknown("x".repeat(100), 0)],
  ])("HP1: %s", (_name, header, value, expected) => {
    expect(decide(header, value)).toEqual(expected);
  });

  test.each(legacyVersions)("HP1: header %s is legacy", (header) => {
    expect(decide(header, request("tools/list"))).toEqual({ kind: "legacy" });
    expect(decide(header, request("initialize"))).toEqual({ kind: "legacy" });
  });

  test.each<[RequestId]>([[0], [""], ["1"], [1]])("HP5: echoes id %p", (id) => {
    expect(decide("x", { jsonrpc: "2.0", id, method: "ping" })).toEqual(unknown("x", id));
  });

  test.each<[string, unknown, EraDecision]>([
    ["no object", 5, refused(-32600, "Invalid request: a message must be a JSON object")],
    [
      "an id that is null",
      { jsonrpc: "2.0", id: null, method: "ping" },
      refused(
        -32600,
        'Invalid request: member "id" must be a string or an integer within ±(2^53-1)',
      ),
    ],
    [
      "no method",
      { jsonrpc: "2.0", id: "" },
      refused(-32600, 'Invalid request: member "method" is missing', ""),
    ],
  ])("HP5: %s is refused in every era", (_name, value, expected) => {
    for (const header of [undefined, "2025-11-25", "2026-07-28", "x"]) {
      expect(decide(header, value)).toEqual(expected);
    }
  });
});

describe("decideEra(), what is no request", () => {
  const notification = { jsonrpc: "2.0", method: "notifications/cancelled" };
  const response = { jsonrpc: "2.0", id: 1, result: {} };
  const claiming = (meta: unknown): unknown => ({ ...notification, params: { _meta: meta } });
  const differs = refused(
    -32020,
    "Header mismatch: MCP-Protocol-Version must be what params._meta says",
  );
  const noResponses = refused(
    -32600,
    "Invalid request: clients of this revision send no responses",
  );
  const noBatch = refused(
    -32600,
    "Invalid request: batches exist in protocol revision 2025-03-26 only",
  );

  test.each<[string, string | undefined, unknown, EraDecision]>([
    ["a notification without header", undefined, notification, legacy],
    ["a notification with a legacy header", "2025-06-18", notification, legacy],
    ["a notification with the modern header", "2026-07-28", notification, modern],
    ["a notification with an unknown header", "x", notification, unknown("x")],
    ["a notification with envelope", "2026-07-28", claiming(envelope), modern],
    ["a notification with envelope, without header", undefined, claiming(envelope), differs],
    ["a notification with envelope and another header", "2025-11-25", claiming(envelope), differs],
    ["a notification with a broken envelope", "5", claiming({ [V]: 5 }), differs],
    ["a response without header", undefined, response, legacy],
    ["a response with a legacy header", "2025-11-25", response, legacy],
    ["a response with the modern header", "2026-07-28", response, noResponses],
    ["a response with an unknown header", "x", response, unknown("x")],
    ["a batch without header", undefined, [], legacy],
    ["a batch of 2024-11-05", "2024-11-05", [], noBatch],
    ["a batch of 2025-03-26", "2025-03-26", [], legacy],
    ["a batch of 2025-06-18", "2025-06-18", [], noBatch],
    ["a batch of 2025-11-25", "2025-11-25", [], noBatch],
    ["a batch of 2026-07-28", "2026-07-28", [request("x", envelope)], noBatch],
    ["a batch with an unknown header", "x", [], noBatch],
  ])("HP1, HP11: %s", (_name, header, value, expected) => {
    expect(decide(header, value)).toEqual(expected);
  });
});

describe("checkSessionVersion()", () => {
  const differs = (header: string): ProtocolFault => ({
    code: -32600,
    message: `Invalid request: MCP-Protocol-Version is ${JSON.stringify(header)}, but this session agreed on 2025-06-18: send that`,
  });

  test.each<[string | undefined, ProtocolFault | undefined]>([
    [undefined, undefined],
    ["2025-06-18", undefined],
    ["2025-11-25", differs("2025-11-25")],
    ["2025-03-26", differs("2025-03-26")],
    ["", differs("")],
  ])("header %p in a session of 2025-06-18", (header, expected) => {
    expect(checkSessionVersion(header, "2025-06-18")).toEqual(expected);
  });

  test("a session that has agreed on nothing takes any header", () => {
    expect(checkSessionVersion("2025-11-25", undefined)).toBeUndefined();
  });
});
