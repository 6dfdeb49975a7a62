import { describe, expect, test } from "bun:test";

import { action } from "./judging.ts";

function about(url: string, act: string, extra: object = {}): object {
  return {
    rules: [{ tool: "ReadDocs", match: { arguments: { url } }, action: act }],
    ...extra,
  };
}

describe("rules about addresses hold however the address is written (U-policy: quoting tricks)", () => {
  test.each([
    ["https://wiki.corp.example/x"],
    ["HTTPS://wiki.corp.example/x"],
    ["https://WIKI.CORP.EXAMPLE/"],
    ["https:\\\\wiki.corp.example/"],
    ["https:/wiki.corp.example/"],
    ["https:wiki.corp.example"],
    ["https://wiki.corp.example:443/"],
    ["https://wiki.corp.example:8443/x"],
    ["https://wiki.corp.example"],
    ["https://wiki.corp.example?q"],
    ["https://wiki.corp.example#x"],
    [" https://wiki.corp.example/"],
    ["\u00a0https://wiki.corp.example/\n"],
    ["ht\ttps://wiki.corp.exam\nple/"],
    ["https://wiki.corp.example./"],
    ["https://wiki.c%6frp.example/"],
    ["https://wiki。corp.example/"],
    ["https://user:pass@wiki.corp.example/"],
  ])("denied: %j", async (url) => {
    const call = { tool: "ReadDocs", args: { url } };
    expect(await action(about("https://*.corp.example/*", "deny"), call)).toBe("deny 1");
  });

  test.each([
    ["https://wiki.corp.example/secret*", "https://wiki.corp.example/%73ecret/a"],
    ["https://wiki.corp.example/secret*", "https://wiki.corp.example/a/..//%2e%2e/secret"],
    ["https://wiki.corp.example/secret", "https://wiki.corp.example:443/secret#a"],
    ["https://Wiki.Corp.Example:443/*", "https://wiki.corp.example/a"],
    ["https://wiki.corp.example", "https://WIKI.corp.example/"],
    ["https://wiki.corp.example:8443/*", "https://wiki.corp.example.:8443/a"],
    ["https://bücher.example/*", "https://xn--bcher-kva.example/a"],
    ["https://bücher.example/*", "https://BÜCHER.example/a"],
    ["*//127.0.0.1/*", "http://0x7f.1/a"],
    ["http://wiki.corp.example:80/*", "http://wiki.corp.example/"],
  ])("%s is about %s", async (pattern, url) => {
    const call = { tool: "ReadDocs", args: { url: [url] } };
    expect(await action(about(pattern, "deny"), call)).toBe("deny 1");
  });

  test.each([
    ["https://docs.example/", "allow"],
    ["https://corp.example.org/", "allow"],
    ["http://wiki.corp.example/", "allow"],
    ["wiki.corp.example", "allow"],
    ["a: b", "allow"],
    ["https://%", "allow"],
  ])("it is not about %j", async (url) => {
    const call = { tool: "ReadDocs", args: { url } };
    expect(await action(about("https://*.corp.example/*", "deny"), call)).toBe("allow");
  });

  test.each([
    ["https://docs.example/a", "allow 1"],
    ["HTTPS://DOCS.example:443/a", "allow 1"],
    ["https://docs.example:8443/a", "ask"],
    ["https://docs.example./a", "ask"],
    ["https://me@docs.example/a", "ask"],
    ["https://evil.example/%2f@docs.example/", "ask"],
  ])("what allows is about the very address: %s: %s", async (url, expected) => {
    const file = about("https://docs.example/*", "allow", { default: { ReadDocs: "ask" } });
    expect(await action(file, { tool: "ReadDocs", args: { url } })).toBe(expected);
  });
});
