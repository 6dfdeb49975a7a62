import { describe, expect, test } from "bun:test";
import { parseHostRules, hostAccessOf } from "../../../src/web/guard/network-guard.ts";

describe("parseHostRules()", () => {
  test.each<[entry: string, host: string, port: number | undefined]>([
    ["wiki.corp", "wiki.corp", undefined],
    ["Wiki.Corp.", "wiki.corp", undefined],
    ["wiki.corp:8080", "wiki.corp", 8080],
    ["wiki.corp:80", "wiki.corp", 80],
    [" localhost ", "localhost", undefined],
    ["127.1", "127.0.0.1", undefined],
    ["::1", "::1", undefined],
    ["[::1]", "::1", undefined],
    ["[0::1]:99", "::1", 99],
    ["bücher.example", "xn--bcher-kva.example", undefined],
  ])("reads %p", (entry, host, port) => {
    expect(parseHostRules([entry])).toEqual([{ host, port }]);
  });

  test.each(["", " ", "*", "*.corp", "http://a.example", "a b", "a/b", "a:b", "u@h", "a:99999"])(
    "%p opens nothing",
    (entry) => {
      expect(parseHostRules([entry])).toEqual([]);
    },
  );
});

describe("hostAccessOf()", () => {
  const configured = parseHostRules(["wiki.corp", "dev.corp:8080"]);
  const own = parseHostRules(["engine.test"]);

  test.each([
    ["docs.example", 443, "docs.example", { kind: "judged" }],
    ["wiki.corp", 443, "wiki.corp", { kind: "allowed" }],
    ["wiki.corp", 8443, "wiki.corp", { kind: "allowed" }],
    ["wiki.corp", 443, "docs.example", { kind: "judged", isForeign: true }],
    ["wiki.corp", 443, "dev.corp", { kind: "judged", isForeign: true }],
    ["a.wiki.corp", 443, "a.wiki.corp", { kind: "judged" }],
    ["dev.corp", 8080, "dev.corp", { kind: "allowed" }],
    ["dev.corp", 8081, "dev.corp", { kind: "judged" }],
    ["engine.test", 80, "docs.example", { kind: "allowed" }],
  ] as const)("%s:%d for a page of %s", (host, port, pageHost, access) => {
    expect(hostAccessOf({ host, port }, { configured, own, pageHost })).toMatchObject(access);
  });
});
