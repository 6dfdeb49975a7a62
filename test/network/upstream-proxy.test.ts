import { describe, expect, test } from "bun:test";
import { upstreamChooser } from "../../src/network/route.ts";

const docs = { host: "docs.example", port: 443 };

describe("upstreamChooser()", () => {
  test.each<
    [name: string, env: Record<string, string>, http: string | undefined, https: string | undefined]
  >([
    ["nothing", {}, undefined, undefined],
    ["HTTPS_PROXY", { HTTPS_PROXY: "http://p:1" }, undefined, "http://p:1"],
    ["HTTP_PROXY", { HTTP_PROXY: "http://p:1" }, "http://p:1", undefined],
    ["ALL_PROXY", { ALL_PROXY: "http://p:1" }, "http://p:1", "http://p:1"],
    [
      "lower case first",
      { https_proxy: "http://a:1", HTTPS_PROXY: "http://b:1" },
      undefined,
      "http://a:1",
    ],
    ["empty is absent", { https_proxy: "", HTTPS_PROXY: "http://b:1" }, undefined, "http://b:1"],
    [
      "its own before all",
      { ALL_PROXY: "http://a:1", https_proxy: "http://b:1" },
      "http://a:1",
      "http://b:1",
    ],
    ["no scheme", { ALL_PROXY: "p:3128" }, "http://p:3128", "http://p:3128"],
    ["no port", { ALL_PROXY: "https://p" }, "https://p:443", "https://p:443"],
    ["IPv6", { ALL_PROXY: "http://[::1]:8" }, "http://[::1]:8", "http://[::1]:8"],
  ])("%s", (_name, env, http, https) => {
    const choose = upstreamChooser(env);
    const found = [choose("http:", { ...docs, port: 80 }), choose("https:", docs)];
    expect(found.map((proxy) => proxy?.origin)).toEqual([http, https]);
  });

  test("credentials go into the header and the URL, not into what is shown", () => {
    const proxy = upstreamChooser({ HTTPS_PROXY: "http://us%3Aer:p%40ss@p:1" })("https:", docs);
    expect(proxy).toEqual({
      origin: "http://p:1",
      isTls: false,
      host: "p",
      port: 1,
      authorization: `Basic ${btoa("us:er:p@ss")}`,
      url: "http://us%3Aer:p%40ss@p:1",
    });
  });

  /** The rows were measured with Bun's own `fetch`, which must never except what this does not. */
  test.each([
    ["*", "docs.example", 443, true],
    ["docs.example", "docs.example", 443, true],
    ["example", "docs.example", 443, true],
    [".example", "docs.example", 443, true],
    ["*.docs.example", "a.docs.example", 443, true],
    ["EXAMPLE", "docs.example", 443, true],
    ["docs.example.", "docs.example", 443, true],
    ["cs.example", "docs.example", 443, false],
    ["docs.example:443", "docs.example", 443, true],
    ["docs.example:80", "docs.example", 443, false],
    ["a.test, docs.example", "docs.example", 443, true],
    ["a.test docs.example", "docs.example", 443, true],
    ["9.9.9.0/24", "9.9.9.9", 443, true],
    ["9.9.9.0/24", "9.9.8.9", 443, false],
    ["9.9.9.9", "9.9.9.9", 443, true],
    ["[2606:4700::1]", "2606:4700::1", 443, true],
    ["", "docs.example", 443, false],
  ])("NO_PROXY=%s excepts %s:%d: %p", (value, host, port, isExcepted) => {
    const choose = upstreamChooser({ ALL_PROXY: "http://p:1", no_proxy: value });
    expect(choose("https:", { host, port }) === undefined).toBe(isExcepted);
  });

  test.each(["localhost", "a.localhost", "127.0.0.1", "127.9.9.9", "::1"])(
    "%s is never asked for through a proxy",
    (host) => {
      expect(
        upstreamChooser({ ALL_PROXY: "http://p:1" })("http:", { host, port: 80 }),
      ).toBeUndefined();
    },
  );

  test.each([
    ["socks5://u:secret@p:1", "unsupported", "names a socks5:// proxy"],
    ["http://", "config", "is not a proxy URL"],
    ["http://u:%zz@p:1", "config", 'a stray "%"'],
  ])("%s is told without what is secret in it", (value, code, message) => {
    const choose = upstreamChooser({ HTTPS_PROXY: value });
    let caught: unknown;
    try {
      choose("https:", docs);
    } catch (error) {
      caught = error;
    }
    expect(caught).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(String(caught)).not.toContain("secret");
  });
});
