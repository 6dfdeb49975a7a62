import { describe, expect, test } from "bun:test";
import type { ParamHeader } from "../../../../src/protocol/headers.ts";
import { classifyMessage, type ModernRequest } from "../../../../src/protocol/message.ts";
import { checkRequestHeaders } from "../../../../src/server/transport/http/header-rules.ts";

const V = "io.modelcontextprotocol/protocolVersion";
const C = "io.modelcontextprotocol/clientCapabilities";
type Extra = Readonly<Record<string, string>>;

function modernRequest(method: string, params: Record<string, unknown>): ModernRequest {
  const _meta = { [V]: "2026-07-28", [C]: {} };
  const message = classifyMessage({ jsonrpc: "2.0", id: 0, method, params: { ...params, _meta } });
  if (message.kind !== "modern-request") throw new Error("not a modern request");
  return message;
}

/** The complaint, or undefined. */
function complaint(
  method: string,
  params: Record<string, unknown>,
  headers: Extra,
  paramHeaders: readonly ParamHeader[] = [],
): string | undefined {
  const all = new Headers({
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": method,
    ...headers,
  });
  for (const [name, value] of Object.entries(headers)) if (value === absent) all.delete(name);
  const request = modernRequest(method, params);
  const fault = checkRequestHeaders(request, all, (tool) => (tool === "t" ? paramHeaders : []));
  if (fault === undefined) return undefined;
  expect(fault.code).toBe(-32020);
  expect(fault.data).toBeUndefined();
  expect(fault.message).toStartWith("Header mismatch: ");
  expect(fault.message).toEndWith("; repeat the value of the body");
  return fault.message.slice("Header mismatch: ".length, -"; repeat the value of the body".length);
}

const absent = "(absent)";

describe("checkRequestHeaders(), version and method", () => {
  test.each<[Extra, string | undefined]>([
    [{}, undefined],
    [{ "Mcp-Method": " \ttools/list\t " }, undefined],
    [{ "mcp-param-unknown": "x", "Mcp-Name": "x" }, undefined],
    [{ "Mcp-Session-Id": "x", "Last-Event-ID": "1-1" }, undefined],
    [{ "MCP-Protocol-Version": absent }, "MCP-Protocol-Version is missing"],
    [
      { "MCP-Protocol-Version": "2025-11-25" },
      'MCP-Protocol-Version is "2025-11-25", but the body says "2026-07-28"',
    ],
    [
      { "MCP-Protocol-Version": "2026-07-28, 2026-07-28" },
      'MCP-Protocol-Version is "2026-07-28, 2026-07-28", but the body says "2026-07-28"',
    ],
    [{ "Mcp-Method": absent }, "Mcp-Method is missing"],
    [{ "Mcp-Method": "" }, 'Mcp-Method is "", but the body says "tools/list"'],
    [{ "Mcp-Method": "tools/call" }, 'Mcp-Method is "tools/call", but the body says "tools/list"'],
    [{ "Mcp-Method": "Tools/List" }, 'Mcp-Method is "Tools/List", but the body says "tools/list"'],
    [
      { "Mcp-Method": "=?base64?dG9vbHMvbGlzdA==?=" },
      'Mcp-Method is "=?base64?dG9vbHMvbGlzdA==?=", but the body says "tools/list"',
    ],
  ])("HP4: %p: %p", (headers, expected) => {
    expect(complaint("tools/list", {}, headers)).toBe(expected);
  });

  test("HP4: a version in the body that is no string matches nothing", () => {
    const request = modernRequest("tools/list", {});
    const headers = new Headers({ "MCP-Protocol-Version": "5", "Mcp-Method": "tools/list" });
    const fault = checkRequestHeaders({ ...request, meta: { [V]: 5 } }, headers, () => []);
    expect(fault?.code).toBe(-32020);
  });
});

describe("checkRequestHeaders(), Mcp-Name", () => {
  test.each<[string, Record<string, unknown>]>([
    ["tools/call", { name: "n" }],
    ["prompts/get", { name: "n" }],
    ["resources/read", { uri: "n" }],
    ["tasks/get", { taskId: "n" }],
    ["tasks/update", { taskId: "n" }],
    ["tasks/cancel", { taskId: "n" }],
  ])("HP4: is required on %s", (method, params) => {
    const wanted = Object.keys(params);
    expect(wanted).toHaveLength(1);
    expect([
      complaint(method, params, { "Mcp-Name": "n" }),
      complaint(method, params, {}),
      complaint(method, params, { "Mcp-Name": "N" }),
    ]).toEqual([undefined, "Mcp-Name is missing", 'Mcp-Name is "N", but the body says "n"']);
  });

  test.each<[string, unknown, string, string | undefined]>([
    ["base64", "世界", "=?base64?5LiW55WM?=", undefined],
    ["base64 of plain text", "n", "=?base64?bg==?=", undefined],
    ["base64 of something else", "n", "=?base64?TQ==?=", 'Mcp-Name is "M", but the body says "n"'],
    [
      "broken base64",
      "n",
      "=?base64?bg?=",
      'Mcp-Name is "=?base64?bg?=", which is neither plain ASCII nor valid base64',
    ],
    [
      "a bare letter beyond ASCII",
      "é",
      "é",
      'Mcp-Name is "é", which is neither plain ASCII nor valid base64',
    ],
    ["two headers", "n", "n, n", 'Mcp-Name is "n, n", but the body says "n"'],
    ["a name with a comma", "n, n", "n, n", undefined],
    ["blanks around it", "n", "  n ", undefined],
    ["blanks inside base64", " n ", "=?base64?IG4g?=", undefined],
    ["an empty name", "", "", undefined],
    ["a name that is missing", undefined, "n", 'Mcp-Name is "n", but the body says nothing'],
    ["a name that is null", null, "null", 'Mcp-Name is "null", but the body says null'],
    ["a name that is missing, as is the header", undefined, absent, undefined],
    ["a name that is an object, without header", {}, absent, undefined],
    ["a name that is a number, without header", 5, absent, undefined],
    ["a name that is a number, with header", 5, "5", undefined],
    [
      "a name that is a number, with another header",
      5,
      "n",
      'Mcp-Name is "n", but the body says 5',
    ],
    ["a name that is true, without header", true, absent, undefined],
  ])("HP4: %s", (_name, name, header, expected) => {
    expect(complaint("tools/call", { name }, { "Mcp-Name": header })).toBe(expected);
  });

  test("shows no more than the beginning of long values", () => {
    const long = "x".repeat(10_000);
    const text = complaint("tools/call", { name: `${long}y` }, { "Mcp-Name": long });
    expect(text?.length).toBeLessThan(300);
  });
});

describe("checkRequestHeaders(), Mcp-Param-*", () => {
  const header = "mcp-param-level";
  const paramHeaders = [{ name: header, path: ["level"] }];
  const nested = [{ name: header, path: ["a", "level"] }];

  test.each<[string, unknown, string, string | undefined]>([
    ["a string", "us", "us", undefined],
    ["another case", "us", "US", `${header} is "US", but the body says "us"`],
    ["base64", " us", "=?base64?IHVz?=", undefined],
    ["an empty string", "", "", undefined],
    ["a boolean", true, "true", undefined],
    ["another boolean", false, "true", `${header} is "true", but the body says false`],
    ["a boolean in other case", true, "True", `${header} is "True", but the body says true`],
    ["an integer", 42, "42", undefined],
    ["an integer with decimals", 42, "42.0", undefined],
    ["an integer with an exponent", 4200, "4.2e3", undefined],
    ["a negative integer", -7, "-7", undefined],
    ["zero", 0, "0", undefined],
    ["another integer", 42, "43", `${header} is "43", but the body says 42`],
    ["text for an integer", 42, "42x", `${header} is "42x", but the body says 42`],
    ["hexadecimal", 42, "0x2a", `${header} is "0x2a", but the body says 42`],
    ["an empty header for zero", 0, "", `${header} is "", but the body says 0`],
    ["a plus", 42, "+42", `${header} is "+42", but the body says 42`],
    ["the largest safe integer", 2 ** 53 - 1, "9007199254740991", undefined],
    [
      "an integer that is not safe",
      2 ** 53,
      "9007199254740992",
      `${header} is "9007199254740992", but the body says 9007199254740992`,
    ],
    ["a string of digits", "42", "42.0", `${header} is "42.0", but the body says "42"`],
    ["null with header", null, "null", `${header} is "null", but the body says null`],
    ["nothing with header", undefined, "x", `${header} is "x", but the body says nothing`],
    ["null without header", null, absent, undefined],
    ["nothing without header", undefined, absent, undefined],
    ["a string without header", "us", absent, `${header} is missing`],
    ["an empty string without header", "", absent, `${header} is missing`],
    ["false without header", false, absent, `${header} is missing`],
    ["zero without header", 0, absent, `${header} is missing`],
    ["an object without header", {}, absent, undefined],
    ["an object with header", {}, "{}", `${header} is "{}", but the body says {}`],
  ])("HP4: %s", (_name, level, value, expected) => {
    const headers = { "Mcp-Name": "t", [header]: value };
    const plain = complaint(
      "tools/call",
      { name: "t", arguments: { level } },
      headers,
      paramHeaders,
    );
    const below = complaint(
      "tools/call",
      { name: "t", arguments: { a: { level } } },
      headers,
      nested,
    );
    expect([plain, below]).toEqual([expected, expected]);
  });

  test.each<[unknown]>([[undefined], [null], ["x"], [[]], [{ a: null }], [{ a: "level" }]])(
    "HP4: arguments %p have no value there",
    (args) => {
      const params = { name: "t", arguments: args };
      expect([
        complaint("tools/call", params, { "Mcp-Name": "t" }, nested),
        complaint("tools/call", params, { "Mcp-Name": "t", [header]: "x" }, nested),
      ]).toEqual([undefined, `${header} is "x", but the body says nothing`]);
    },
  );

  test.each(["__proto__", "constructor", "toString"])(
    "what all objects inherit (%s) is no value",
    (key) => {
      const params = { name: "t", arguments: {} };
      const inherited = [{ name: header, path: [key, "name"] }];
      expect(complaint("tools/call", params, { "Mcp-Name": "t" }, inherited)).toBeUndefined();
    },
  );

  test.each<[string, Record<string, unknown>, Extra]>([
    ["another tool", { name: "other", arguments: { level: 5 } }, { "Mcp-Name": "other" }],
    ["an unknown parameter", { name: "t", arguments: {} }, { "Mcp-Name": "t", "mcp-param-x": "y" }],
  ])("HP4: %s is not looked at", (_name, params, headers) => {
    expect(complaint("tools/call", params, headers, paramHeaders)).toBeUndefined();
  });
});
