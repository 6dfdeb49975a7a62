import { describe, expect, test } from "bun:test";

import { Health, Readiness, OperatorPages } from "../../../src/server/http/operator-pages.ts";
import { until } from "../../commands/process/until.ts";
import { request } from "../harness.ts";
import { openHealth, startEndpoint } from "./endpoint-fixture.ts";
import { beginSession, get, post } from "./exchange.ts";

describe("Readiness", () => {
  test("is degraded as long as one part is not well, and draining whatever they say", () => {
    const readiness = new Readiness();
    const words = [readiness.word];
    const steps: readonly (() => void)[] = [
      () => readiness.report("engine", false),
      () => readiness.report("store", true),
      () => readiness.report("store", false),
      () => readiness.report("engine", true),
      () => readiness.report("store", true),
      () => readiness.drain(),
      () => readiness.report("store", false),
    ];
    for (const step of steps) {
      step();
      words.push(readiness.word);
    }
    expect(words).toEqual([
      "ready",
      "degraded",
      "degraded",
      "degraded",
      "degraded",
      "ready",
      "draining",
      "draining",
    ]);
    expect(readiness.parts).toEqual({ engine: true, store: false });
  });
});

describe("Health", () => {
  test.each<[isStrict: boolean, isWell: boolean, answer: [number, string]]>([
    [false, true, [200, "ready\n"]],
    [false, false, [200, "degraded\n"]],
    [true, true, [200, "ready\n"]],
    [true, false, [503, "degraded\n"]],
  ])("strict %p, well %p: %j", async (isStrict, isWell, answer) => {
    const parts = openHealth(isStrict);
    parts.readiness.report("store", isWell);
    const asked = new Request("http://localhost/readyz", { headers: { host: "localhost" } });
    const response = new Health(parts).answer("/readyz", asked);
    expect([response?.status, await response?.text()]).toEqual(answer);
  });

  test.each<[headers: Record<string, string>, status: number]>([
    [{ host: "localhost" }, 200],
    [{ host: "10.1.2.3:8808" }, 200],
    [{ host: "[fd00::1]:8808" }, 200],
    // As HTTP/1.0 has it.
    [{ host: "" }, 403],
    [{ host: "evil.example" }, 403],
    [{ host: "10.1.2.3.evil.example" }, 403],
    [{ host: "2130706433" }, 403],
    [{ host: "10.1.2.3", origin: "https://evil.example" }, 403],
    [{ host: "10.1.2.3", "sec-fetch-site": "cross-site" }, 403],
  ])("probes know a machine by its address, pages by a name: %j is %d", (headers, status) => {
    const health = new Health(openHealth());
    for (const path of ["/healthz", "/readyz"]) {
      const asked = new Request(`http://localhost${path}`, { headers });
      expect(health.answer(path, asked)?.status).toBe(status);
    }
  });
});

describe("an endpoint that drains", () => {
  test("begins nothing, says when to come back, and ends each connection with its response", async () => {
    using fixture = startEndpoint();
    const session = await beginSession(fixture);
    const opening = post(
      fixture,
      request(1, "tools/call", { name: "Echo", arguments: {} }),
      session,
    );
    const own = await get(fixture, session);
    await until(() => fixture.tools.calls.length === 1);
    const drained = fixture.endpoint.drain();
    const refused = [
      await post(fixture, request(2, "initialize", {})),
      await post(fixture, request(3, "ping"), session),
      await get(fixture, session),
    ];
    for (const { status, headers } of refused) {
      const said = [status, headers.get("retry-after"), headers.get("connection")];
      expect(said).toEqual([503, "5", "close"]);
    }
    const ready = await fixture.fetch("/readyz");
    expect([ready.status, await ready.text()]).toEqual([503, "draining\n"]);
    fixture.tools.answer(0);
    expect((await opening).status).toBe(200);
    await drained;
    fixture.endpoint.close();
    expect(await own.text()).toContain("retry: 1000\n\n");
  });

  test("an idle session's stream ends at once, with the time to come back", async () => {
    using fixture = startEndpoint();
    const own = await get(fixture, await beginSession(fixture));
    await fixture.endpoint.drain();
    expect(await own.text()).toEndWith("retry: 1000\n\n");
  });
});

describe("the pages for operators", () => {
  const pages = new OperatorPages({
    metrics: () => Promise.resolve("a 1\n"),
    status: () => Promise.resolve({ ready: "ready" }),
  });

  test("are served to the principals that may see them", async () => {
    using fixture = startEndpoint({
      operatorPages: pages,
      refuseWatcher: ({ id }) => (id === "guest" ? new Response("", { status: 403 }) : undefined),
    });
    const guest = { authorization: "guest" };
    for (const path of ["/metrics", "/status"]) {
      expect((await fixture.fetch(path, { headers: guest })).status).toBe(403);
      expect((await fixture.fetch(path, { headers: { host: "evil.example" } })).status).toBe(403);
      expect((await fixture.fetch(path, { method: "POST" })).status).toBe(405);
    }
    const metrics = await fixture.fetch("/metrics");
    expect([metrics.headers.get("content-type"), await metrics.text()]).toEqual([
      "text/plain; version=0.0.4",
      "a 1\n",
    ]);
    expect(await (await fixture.fetch("/status")).json()).toEqual({ ready: "ready" });
  });

  test("do not exist where they are not configured", async () => {
    using fixture = startEndpoint();
    for (const path of ["/metrics", "/status"]) {
      expect((await fixture.fetch(path)).status).toBe(404);
    }
  });
});
