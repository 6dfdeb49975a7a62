import { afterAll, describe, expect, test } from "bun:test";

import { allowedUrl } from "../../../src/upstream/oauth/allowed-url.ts";
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
const requests = new OauthRequests(true);
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
    ["/loop", "It is redirected again and again."],
    ["/?to=file:///etc/passwd", "It is not https: file:///etc/passwd."],
    ["/?to=http://evil.test/", "It is not https: http://evil.test/."],
    ["/?to=//u:p@127.0.0.1/", expect.stringContaining("has a user name")],
  ])("%s", async (path, expected) => {
    expect(await get(path)).toEqual(expected);
  });

  test("who does not answer is not waited for long, and can be given up before", async () => {
    const stop = new AbortController();
    const patient = new OauthRequests(true, stop.signal);
    const asked = patient.get(`${origin}/hang`, "It").catch((error: Error) => error.message);
    stop.abort();
    expect(await asked).toContain("cannot be reached");
  });

  test("a form with a secret is not sent on", async () => {
    const { status } = await requests.post(`${origin}/?to=/x`, new URLSearchParams(), {}, "It");
    expect(status).toBe(302);
  });
});

test.each<[unknown, boolean, string | undefined]>([
  ["https://a.test/x?y=1", false, undefined],
  ["http://127.0.0.1:80/x", true, undefined],
  ["http://localhost:80/x", true, undefined],
  ["http://[::1]/x", true, undefined],
  ["http://127.0.0.1/x", false, "on this machine"],
  ["https://localhost/x", false, "on this machine"],
  ["http://127.0.0.1.evil.test/", true, "is not https"],
  ["http://localhost.evil.test/", true, "is not https"],
  ["http://0x7f000001/", false, "on this machine"],
  ["ftp://127.0.0.1/", true, "is not https"],
  ["https://u@a.test/", true, "has a user name"],
  ["https://a.test/#x", true, "a fragment"],
  ["javascript:alert(1)", true, "is not https"],
  ["-x", true, "is no address"],
  [7, true, "is no address"],
  [undefined, true, "is no address"],
])("%p, on this machine %p", (text, allowsLoopback, why) => {
  const check = (): URL => allowedUrl(text, allowsLoopback, "It");
  if (why === undefined) expect(check()).toBeInstanceOf(URL);
  else expect(check).toThrow(why);
});
