import { expect, test } from "bun:test";

import { spawnHttpUpstream } from "../../fixtures/upstream/spawn.ts";
import { until } from "../connect/open-scripted.ts";
import { openPlace, textOfReply } from "./open-work.ts";

test("a server over HTTP is used, and its token is seen nowhere", async () => {
  const authorization = "Bearer s3cret-token-123";
  await using http = await spawnHttpUpstream({
    tools: ["headers", "echo"],
    http: { authorization },
  });
  await using place = await openPlace();
  await place.configure({ one: { url: http.url, headers: { Authorization: "Bearer ${TOKEN}" } } });
  const opened = place.open({ env: { TOKEN: "s3cret-token-123" } });
  await opened.work.start();
  await opened.reach("one", "ready");
  const reply = await opened.call("one", "headers");
  expect(textOfReply(reply)).toContain("***");
  expect(JSON.stringify([reply, opened.snapshots, opened.events, opened.logs])).not.toContain(
    "s3cret",
  );
  expect(textOfReply(await opened.call("one", "echo", { text: "s3cret-token-123" }))).toBe("***");
  await until(() => !opened.snapshot().isIncomplete);
  expect(opened.snapshot().isPrivate).toBe(true);
});

test("a server that wants a login says so, is not tried again by itself, and comes with the next call", async () => {
  await using http = await spawnHttpUpstream({
    tools: ["echo"],
    http: { authorization: "Bearer x" },
  });
  await using place = await openPlace();
  await place.configure({ one: { url: http.url } });
  const opened = place.open();
  await opened.work.start();
  const info = await opened.reach("one", "needs_auth");
  expect(info.retryInMs).toBeNull();
  expect(opened.snapshot()).toMatchObject({ tools: [] });
  expect(textOfReply(await opened.call("one", "echo"))).toBe(
    "needs_auth: The server one wants a login, which only the user can do. Log in: scorpiox-code mcp login one.",
  );
});

test("a server that wants a login in the middle says so until it answers again", async () => {
  await using http = await spawnHttpUpstream({ tools: ["echo"] });
  await using place = await openPlace();
  await place.configure({ one: { url: http.url } });
  const opened = place.open();
  await opened.work.start();
  await opened.reach("one", "ready");
  await http.rewrite({ http: { status: { code: 401, times: 1 } } });
  expect(textOfReply(await opened.call("one", "echo"))).toStartWith("needs_auth: ");
  expect(opened.info("one")?.state).toBe("needs_auth");
  await until(() => opened.snapshot().servers[0]?.state === "needs_auth");
  expect(textOfReply(await opened.call("one", "echo", { text: "x" }))).toBe("x");
  expect(opened.info("one")?.state).toBe("ready");
});

test("a server that is busy is asked again when it said", async () => {
  await using http = await spawnHttpUpstream({ tools: ["echo"] });
  await using place = await openPlace();
  await place.configure({ one: { url: http.url } });
  const opened = place.open();
  await opened.work.start();
  await opened.reach("one", "ready");
  await http.rewrite({ http: { status: { code: 429, retryAfter: "1", times: 1 } } });
  const before = performance.now();
  expect(textOfReply(await opened.call("one", "echo", { text: "x" }))).toBe("x");
  expect(performance.now() - before).toBeGreaterThan(900);
  await http.rewrite({ http: { status: { code: 503, retryAfter: "30" } } });
  const reply = await opened.call("one", "echo", {}, { timeoutMs: 2_000 });
  expect(textOfReply(reply)).toStartWith("unreachable: The server one is busy:");
});

test("a server that has forgotten the session is connected to anew by the next call", async () => {
  await using http = await spawnHttpUpstream({ tools: ["add"], era: "legacy" });
  await using place = await openPlace();
  await place.configure({ one: { url: http.url } });
  const opened = place.open();
  await opened.work.start();
  await opened.reach("one", "ready");
  await http.forgetSessions();
  // It may be repeated: adding twice does no harm.
  expect(textOfReply(await opened.call("one", "add", { a: 1, b: 2 }))).toBe("3");
  expect(opened.info("one")?.starts).toBe(2);
});
