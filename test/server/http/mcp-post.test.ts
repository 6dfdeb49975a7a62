import { expect, test } from "bun:test";

import type { LegacyHttp } from "../../../src/server/http/legacy-http.ts";
import { McpPost } from "../../../src/server/http/mcp-post.ts";
import type { ModernHttp } from "../../../src/server/http/modern-http.ts";
import { createBodyBounds } from "../../../src/server/transport/http/read-body.ts";

test("McpPost.settled() waits for messages whose session is looked up elsewhere", async () => {
  const looking = Promise.withResolvers<Response>();
  const legacy = { post: () => looking.promise } as unknown as LegacyHttp;
  const post = new McpPost({} as ModernHttp, legacy, () => undefined, createBodyBounds(1));
  const request = new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  const answer = post.answer(request, { id: "local", scopes: undefined });
  // Its body is read first.
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  let isSettled = false;
  const settled = post.settled().then(() => (isSettled = true));
  await new Promise(setImmediate);
  expect(isSettled).toBe(false);
  looking.resolve(new Response("found"));
  await settled;
  expect(await (await answer).text()).toBe("found");
});
