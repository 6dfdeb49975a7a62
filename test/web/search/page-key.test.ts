import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { pageKey } from "../../../src/web/search/page-key.ts";

const keyOf = (address: string): string => pageKey(new URL(address));

describe("pageKey()", () => {
  test.each([
    ["scheme", "http://a.org/x", "https://a.org/x"],
    ["host in capitals", "https://A.ORG/x", "https://a.org/x"],
    ["default port", "http://a.org:80/x", "https://a.org:443/x"],
    ["www", "https://www.a.org/x", "https://a.org/x"],
    ["mobile edition", "https://m.a.org/x", "https://mobile.a.org/x"],
    ["amp", "https://amp.a.org/x", "https://a.org/x"],
    [
      "mobile edition below a language",
      "https://en.m.wikipedia.org/w",
      "https://en.wikipedia.org/w",
    ],
    ["www before a mobile edition", "https://www.m.a.org/", "https://a.org/"],
    ["fragment", "https://a.org/x#part", "https://a.org/x"],
    ["text fragment", "https://a.org/x#:~:text=word", "https://a.org/x"],
    ["text fragment of a route", "https://a.org/#/x:~:text=word", "https://a.org/#/x"],
    ["trailing slash", "https://a.org/x/", "https://a.org/x"],
    ["no path", "https://a.org", "https://a.org/"],
    ["index.html", "https://a.org/x/index.html", "https://a.org/x"],
    ["index.php with parameters", "https://a.org/index.php?p=1", "https://a.org/?p=1"],
    ["escape of an unreserved character", "https://a.org/%7Ebob/%41", "https://a.org/~bob/A"],
    ["case of an escape", "https://a.org/a%2fb", "https://a.org/a%2Fb"],
    ["order of parameters", "https://a.org/?b=1&a=2", "https://a.org/?a=2&b=1"],
    ["campaign", "https://a.org/?utm_source=x&id=1&UTM_Medium=y", "https://a.org/?id=1"],
    ["click ids", "https://a.org/?gclid=1&fbclid=2&msclkid=3&yclid=4&dclid=5", "https://a.org/"],
    ["mail ids", "https://a.org/?mc_cid=1&mc_eid=2&_hsenc=3&_hsmi=4&srsltid=5", "https://a.org/"],
    ["others", "https://a.org/?igshid=1&ref_src=2&spm=3", "https://a.org/"],
    ["short host", "https://youtu.be/AbC", "https://www.youtube.com/watch?v=AbC"],
    [
      "short host, time, share",
      "https://youtu.be/A?si=1&t=3",
      "https://m.youtube.com/watch?t=3&v=A",
    ],
    ["name in another script", "https://bücher.example/", "https://xn--bcher-kva.example/"],
  ])("%s makes no difference", (_, one, other) => {
    expect(keyOf(one)).toBe(keyOf(other));
  });

  test.each([
    ["path", "https://a.org/x", "https://a.org/y"],
    ["case of a path", "https://a.org/Js/", "https://a.org/js/"],
    ["host", "https://a.org/", "https://b.org/"],
    ["a name below", "https://docs.a.org/", "https://a.org/"],
    ["a site that is called so", "https://m.com/", "https://www.com/"],
    ["port", "https://a.org:8443/", "https://a.org/"],
    ["parameter", "https://a.org/?id=1", "https://a.org/?id=2"],
    ["order of equal parameters", "https://a.org/?x=1&x=2", "https://a.org/?x=2&x=1"],
    ["si elsewhere", "https://a.org/?si=1", "https://a.org/"],
    ["route", "https://a.org/#/x", "https://a.org/#/y"],
    ["hashbang", "https://a.org/#!x", "https://a.org/"],
    ["reserved character", "https://a.org/a%2Fb", "https://a.org/a/b"],
    ["index elsewhere", "https://a.org/index.php/x", "https://a.org/x"],
    ["video", "https://youtu.be/A", "https://youtu.be/B"],
  ])("%s makes a difference", (_, one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  test("takes any web address, and a key is the key of itself", () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (address) => {
        const key = keyOf(address);
        expect(keyOf(`https://${key}`)).toBe(key);
      }),
    );
  });
});
