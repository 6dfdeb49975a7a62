import { expect, test } from "bun:test";

import { encodeRequest, readRequest } from "../../../src/fleet/places/relay-messages.ts";
import type { Principal } from "../../../src/server/auth/principal.ts";

test.each<[principal: Principal]>([
  [{ id: "token:ada", label: "ada", scopes: undefined }],
  [{ id: "token:ci", label: "ci", scopes: new Set(["a", "b"]), servers: new Set(["docs"]) }],
  [{ id: "token:none", label: "none", scopes: new Set(), servers: new Set() }],
  [{ id: "jwt:i|s", scopes: new Set(["a"]), issuer: "i", sub: "s", groups: ["dev"] }],
  [{ id: "jwt:i|s", scopes: new Set(["a"]), issuer: "i", sub: "s", groups: "unknown" }],
])("a principal is the same at its place: %p", (principal) => {
  const request = {
    number: 1,
    id: "x",
    method: "tools/call",
    params: {},
    caller: { principal, sessionId: "s" },
    canClose: true,
  };
  const sent: unknown = JSON.parse(JSON.stringify(encodeRequest(request)));
  expect(readRequest(sent)).toEqual(request);
});
