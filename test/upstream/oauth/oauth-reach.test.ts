import { expect, test } from "bun:test";

import { judgeHost } from "../../../src/network/judge-host.ts";
import { type LoginPlace, OauthReach } from "../../../src/upstream/oauth/oauth-reach.ts";

const place: LoginPlace = { url: "https://mcp.test/mcp" };
const signal = new AbortController().signal;

/** What becomes of `address` as a server has named it that answers from `heardFrom`; asked first, if nobody has heard of it. */
async function outcome(
  address: string,
  heardFrom: string | undefined,
  from: LoginPlace = place,
): Promise<string> {
  const asked: string[] = [];
  const reach: OauthReach = new OauthReach(from, async (url) => {
    asked.push(url.href);
    reach.heard(url, heardFrom);
  });
  const isLiteral = /^[\d.]+$|:/.test(address);
  const access = reach.hostAccessOf({ host: isLiteral ? address : "idp.test", port: 443 });
  const resolve = async (): Promise<readonly string[]> => address.split(" ");
  try {
    await judgeHost(isLiteral ? address : "idp.test", access, resolve, signal);
    return asked.length === 0 ? "open" : "open, asked";
  } catch (error) {
    expect(String(error)).toContain('oauth = { issuer = "https://…" }');
    return /(?:it|its address \S+) is (.*?)\. /.exec(String(error))?.[1] ?? String(error);
  }
}

test.each<[address: string, heardFrom: string | undefined, outcome: string]>([
  // A public server.
  ["93.184.216.34", "93.184.216.35", "open"],
  ["10.0.0.5", "93.184.216.35", "a private address"],
  ["127.0.0.1", "93.184.216.35", "a loopback address"],
  ["0.0.0.0", "93.184.216.35", "an unspecified address"],
  ["::", "93.184.216.35", "an unspecified address"],
  ["::ffff:127.0.0.1", "93.184.216.35", "a loopback address inside an IPv6 address"],
  ["169.254.169.254", "93.184.216.35", "a cloud metadata address"],
  ["64:ff9b::10.0.0.5", "93.184.216.35", "a private address inside an IPv6 address"],
  ["2002:7f00:1::1", "2606:4700::1", "a loopback address inside an IPv6 address"],
  // One in a private network.
  ["10.9.0.5", "10.0.0.1", "open, asked"],
  ["192.168.1.1", "fd00::7", "open, asked"],
  ["fd00::9", "100.64.0.1", "open, asked"],
  ["198.18.0.9", "198.18.0.1", "open, asked"],
  ["127.0.0.1", "10.0.0.1", "a loopback address"],
  ["::ffff:127.0.0.1", "10.0.0.1", "a loopback address inside an IPv6 address"],
  ["169.254.169.254", "10.0.0.1", "a cloud metadata address"],
  ["fe80::1", "10.0.0.1", "a link-local address"],
  ["224.0.0.1", "10.0.0.1", "a multicast address"],
  // One on this machine.
  ["127.0.0.1", "127.0.0.1", "open, asked"],
  ["10.0.0.5", "::1", "open, asked"],
  ["169.254.169.254", "127.0.0.1", "a cloud metadata address"],
  ["0.0.0.0", "127.0.0.1", "an unspecified address"],
  // Link-local ones reach nothing that is not theirs; behind a proxy nobody knows.
  ["10.0.0.5", "169.254.9.9", "a private address"],
  ["10.0.0.5", undefined, "a private address"],
])("%s, named by a server at %s: %s", async (address, heardFrom, expected) => {
  expect(await outcome(address, heardFrom)).toBe(expected);
});

test("a host of the user's own choice is asked wherever it is", async () => {
  const access = new OauthReach({ ...place, issuers: ["https://idp.test/x"] }, async () => {});
  const hosts = ["mcp.test", "idp.test", "other.test", "a.mcp.test"];
  const kinds = hosts.map((host) => access.hostAccessOf({ host, port: 8443 }).kind);
  expect(kinds).toEqual(["allowed", "allowed", "judged", "judged"]);
});

test("two who need to know at the same time wait for the same answer", async () => {
  const answered = Promise.withResolvers<undefined>();
  const reach: OauthReach = new OauthReach(place, async (url) => {
    await answered.promise;
    reach.heard(url, "10.1.1.1");
  });
  const access = reach.hostAccessOf({ host: "10.0.0.5", port: 443 });
  const both = [0, 1].map(() => judgeHost("10.0.0.5", access, async () => [], signal));
  answered.resolve(undefined);
  expect(await Promise.all(both)).toEqual([["10.0.0.5"], ["10.0.0.5"]]);
});

test("only what a named host answers from counts, each is asked once, and no failure opens anything", async () => {
  const asked: string[] = [];
  const reach = new OauthReach({ ...place, issuers: ["https://idp.test/x"] }, async (url) => {
    asked.push(url.href);
    throw new Error("nobody there");
  });
  reach.heard(new URL("https://other.test/"), "127.0.0.1");
  const access = reach.hostAccessOf({ host: "10.0.0.5", port: 443 });
  const isOpen = (): Promise<boolean> =>
    judgeHost("10.0.0.5", access, async () => [], signal).then(
      () => true,
      () => false,
    );
  expect([await isOpen(), await isOpen()]).toEqual([false, false]);
  const path = "/.well-known/oauth-protected-resource";
  expect(asked).toEqual([`https://mcp.test${path}`, `https://idp.test${path}`]);
  reach.heard(new URL("https://idp.test/"), "10.1.1.1");
  expect(await isOpen()).toBe(true);
});
