import { expect, test } from "bun:test";

import { tryClientEntry } from "../../../src/compose/run/try-client-entry.ts";

const answer = (id: number, result: object): string =>
  `echo '${JSON.stringify({ jsonrpc: "2.0", id, result })}'`;
/** A server that says on stderr what it was sent. */
const hear = 'read -r line; echo "$line" >&2';
const capabilities = { roots: {} };
const clientInfo = { name: "test", version: "0.0.0" };

test.each([
  [
    "2025-11-25",
    [hear, answer(1, {}), hear, hear, answer(2, { tools: [] })],
    [
      {
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities, clientInfo },
      },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/list", params: {} },
    ],
  ],
  [
    "2026-07-28",
    [hear, answer(1, {}), hear, answer(2, { tools: [] })],
    ["server/discover", "tools/list"].map((method, index) => ({
      id: index + 1,
      method,
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": clientInfo,
          "io.modelcontextprotocol/clientCapabilities": capabilities,
        },
      },
    })),
  ],
])("tryClientEntry introduces itself as a client of %s does", async (revision, script, sent) => {
  const how = { env: { PATH: "/usr/bin:/bin" }, clientName: "test", revision, capabilities };
  const { stderr } = await tryClientEntry(["sh", "-c", script.join("; ")], how);
  expect(stderr.map((line): unknown => JSON.parse(line))).toEqual(
    sent.map((message) => ({ jsonrpc: "2.0", ...message })),
  );
});
