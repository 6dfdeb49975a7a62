import { afterAll, describe, expect, test } from "bun:test";

import { allowedUrl } from "../../../src/upstream/oauth/oauth-reach.ts";
import { loginRoads } from "../../../src/upstream/oauth/login-store.ts";
import { OauthRequests } from "../../../src/upstream/oauth/oauth-requests.ts";

/** An authorization server that means harm. */
const server: Bun.Server<undefined> = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request): Response | Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const to = searchParams.get("to");
    if (to !== null) return new Response(null, { status: 302, headers: { location: to } });
    if (pathname === "/hang") return new Promise<Response>(() => {});
    if (pathname === "/endless") return new Response(endless());
    if (pathname === "/stream") {
      return new Response(endless(), { headers: { "content-type": "text/event-stream" } });
    }
    if (pathname === "/loop") return Response.redirect(`${server.url.origin}/loop`, 302);
    return Response.json({ at: pathname });
  },
});
afterAll(() => server.stop(true));

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(0);
      controller.enqueue(new Uint8Array(65_536).fill(32));
    },
  });
}

const { origin } = server.url;
const requests = new OauthRequests({ url: origin }, loginRoads({}));
const get = async (path: string): Promise<unknown> =>
  requests.get(`${origin}${path}`, "It").then(
    ({ body }) => body,
    (error: Error) => error.message,
  );

describe("documents", () => {
  test.each<[string, unknown]>([
    ["/x", { at: "/x" }],
    ["/?to=/x", { at: "/x" }],
    ["/endless", undefined],
    ["/stream", undefined],
    ["/loop", "It is redirected too often."],
    ["/?to=file:///etc/passwd", "It is not https: file:///etc/passwd."],
    ["/?to=http://evil.test/", "It is not https: http://evil.test/."],
    ["/?to=//u:p@127.0.0.1/", expect.stringContaining("has a user name")],
  ])("%s", async (path, expected) => {
    expect(await get(path)).toEqual(expected);
  });

  test("who does not answer is not waited for long, and can be given up before", async () => {
    const stop = new AbortController();
    const patient = new OauthRequests({ url: origin }, loginRoads({}), stop.signal);
    const asked = patient.get(`${origin}/hang`, "It").catch((error: Error) => error.message);
    stop.abort();
    expect(await asked).toContain("cannot be reached");
  });

  test("a form with a secret is not sent on", async () => {
    const { status } = await requests.post(`${origin}/?to=/x`, new URLSearchParams(), {}, "It");
    expect(status).toBe(302);
  });
});

test.each<[unknown, string | undefined]>([
  ["https://a.test/x?y=1", undefined],
  ["http://127.0.0.1:80/x", undefined],
  ["http://localhost:80/x", undefined],
  ["http://[::1]/x", undefined],
  ["http://127.0.0.1.evil.test/", "is not https"],
  ["http://localhost.evil.test/", "is not https"],
  ["http://a.localhost/", "is not https"],
  ["http://0.0.0.0/", "is not https"],
  ["http://10.0.0.1/", "is not https"],
  ["ftp://127.0.0.1/", "is not https"],
  ["https://u@a.test/", "has a user name"],
  ["https://a.test/#x", "a fragment"],
  ["javascript:alert(1)", "is not https"],
  ["-x", "is not an address"],
  [7, "is not an address"],
  [undefined, "is not an address"],
])("allowedUrl(%p)", (text, why) => {
  const check = (): URL => allowedUrl(text, "It");
  if (why === undefined) expect(check()).toBeInstanceOf(URL);
  else expect(check).toThrow(why);
});
