import { describe, expect, test } from "bun:test";
import { parseHostRules, hostAccessOf } from "../../src/web/guard/network-guard.ts";
import { routeTo, upstreamChooser } from "../../src/network/route.ts";

/** What the resolver of these tests knows. */
const names: Readonly<Record<string, readonly string[]>> = {
  "docs.example": ["9.9.9.9", "2606:4700::1"],
  "half.example": ["9.9.9.9", "10.0.0.1"],
  "six.example": ["9.9.9.9", "::ffff:10.0.0.1"],
  "zone.example": ["fe80::1%eth0"],
  "home.example": ["127.0.0.1"],
  "wiki.corp": ["10.0.0.1"],
};

const resolve = async (host: string): Promise<readonly string[]> => names[host] ?? [];
const signal = new AbortController().signal;
const allowance = {
  configured: parseHostRules(["wiki.corp", "home.example", "127.0.0.1", "hidden.example"]),
  own: [],
};

async function outcome(
  host: string,
  pageHost: string,
  env: Record<string, string>,
  port = 443,
): Promise<string> {
  const roads = { resolve, chooseUpstream: upstreamChooser(env) };
  try {
    const to = { host, port };
    const access = hostAccessOf(to, { ...allowance, pageHost });
    const route = await routeTo("https:", to, access, roads, signal);
    return route.kind === "direct" ? route.addresses.join(" ") : route.proxy.origin;
  } catch (error) {
    return error instanceof Error ? error.message : "?";
  }
}

const direct = {};
const proxied = { HTTPS_PROXY: "http://p.corp:3128", NO_PROXY: "wiki.corp" };

describe("routeTo()", () => {
  test.each([
    ["docs.example", direct, "9.9.9.9 2606:4700::1"],
    ["9.9.9.9", direct, "9.9.9.9"],
    ["docs.example", proxied, "http://p.corp:3128"],
    ["unknown.example", proxied, "http://p.corp:3128"],
  ])("%s with %p goes %s", async (host, env, way) => {
    expect(await outcome(host, host, env)).toBe(way);
  });

  test.each([
    ["half.example", "its address 10.0.0.1 is a private address"],
    ["six.example", "its address ::ffff:10.0.0.1 is a private address inside an IPv6 address"],
    ["zone.example", "its address fe80::1%eth0 is not a valid IP address"],
    ["home.test.localhost", "it is a name of this machine"],
    ["10.0.0.1", "it is a private address"],
    ["::1", "it is a loopback address"],
  ])("%s is refused, with a proxy and without", async (host, why) => {
    const entry = host.includes(":") ? `[${host}]` : host;
    const message =
      `Refused to connect to "${host}": ${why}. To allow it, the user can add ${entry} to ` +
      "READDOCS_ALLOW_HOSTS, in the environment or the user's settings.";
    const both = [await outcome(host, host, direct), await outcome(host, host, proxied)];
    expect(both).toEqual([message, message]);
  });

  test.each(["printer", "a.local", "b.internal"])(
    "%s, which nobody here knows, is not asked of a proxy inside a private network",
    async (host) => {
      expect(await outcome(host, host, proxied)).toContain("it is a name of a private network");
      expect(await outcome(host, host, direct)).toContain("it has no address");
    },
  );

  test.each([
    ["wiki.corp", direct, "10.0.0.1"],
    ["wiki.corp", proxied, "10.0.0.1"],
    ["hidden.example", proxied, "http://p.corp:3128"],
    ["home.example", proxied, "127.0.0.1"],
    ["127.0.0.1", proxied, "127.0.0.1"],
  ])("%s is allowed and with %p goes %s", async (host, env, way) => {
    expect(await outcome(host, host, env)).toBe(way);
  });

  test("an allowed host that only the proxy can resolve is not open to pages of another", async () => {
    expect(await outcome("hidden.example", "docs.example", proxied)).toContain(
      "READDOCS_ALLOW_HOSTS allows it for its own pages only",
    );
  });

  test("an allowed host is not open to pages of another", async () => {
    const message =
      'Refused to connect to "wiki.corp": its address 10.0.0.1 is a private address. ' +
      'READDOCS_ALLOW_HOSTS allows it for its own pages only, not for pages of "docs.example".';
    expect(await outcome("wiki.corp", "docs.example", direct)).toBe(message);
  });

  test.each([
    [24, "9.9.9.9"],
    [
      25,
      'Refused to connect to "9.9.9.9" on port 25: that port belongs to a protocol other than HTTP.',
    ],
    [26, "9.9.9.9"],
    [
      6667,
      'Refused to connect to "9.9.9.9" on port 6667: that port belongs to a protocol other than HTTP.',
    ],
    [8080, "9.9.9.9"],
  ])("port %d", async (port, way) => {
    expect(await outcome("9.9.9.9", "9.9.9.9", direct, port)).toBe(way);
  });
});
