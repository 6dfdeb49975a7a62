import { describe, expect, test } from "bun:test";

import {
  audiencesOf,
  createResourceMetadata,
  parseResource,
  resourceMetadataPaths,
  resourceMetadataUrl,
} from "../../../src/server/auth/create-auth.ts";

const root = "/.well-known/oauth-protected-resource";

describe("parseResource()", () => {
  test.each([
    ["https://mcp.example.com/mcp", "https://mcp.example.com/mcp"],
    ["HTTPS://MCP.Example.com/Mcp", "https://mcp.example.com/Mcp"],
    ["https://mcp.example.com/", "https://mcp.example.com"],
    ["https://mcp.example.com:8443", "https://mcp.example.com:8443"],
    ["http://127.0.0.1:3000/mcp", "http://127.0.0.1:3000/mcp"],
  ])("%p is %p", (text, expected) => {
    expect(parseResource(text)).toBe(expected);
  });

  test.each([
    ["mcp.example.com", "is not an http(s) URL"],
    ["ftp://mcp.example.com", "is not an http(s) URL"],
    ["https://mcp.example.com#a", "has more than a host and a path"],
    ["https://mcp.example.com/?a", "has more than a host and a path"],
    ["https://me:secret@mcp.example.com/", "has more than a host and a path"],
  ])("%p is refused", (text, what) => {
    expect(() => parseResource(text)).toThrow(
      `The URL of this server "${text}" ${what}: write it like https://mcp.example.com/mcp.`,
    );
  });
});

test.each([
  ["https://a.example/mcp", ["https://a.example/mcp"]],
  ["https://a.example", ["https://a.example", "https://a.example/"]],
])("audiencesOf(%p) is %p", (resource, expected) => {
  expect(audiencesOf(resource)).toEqual(expected);
});

test.each([
  ["https://a.example/mcp", `https://a.example${root}/mcp`, [root, `${root}/mcp`]],
  ["https://a.example/x/mcp", `https://a.example${root}/x/mcp`, [root, `${root}/x/mcp`]],
  ["https://a.example:8443", `https://a.example:8443${root}`, [root]],
])("the metadata of %p is at %p and served at %p", (resource, url, paths) => {
  expect(resourceMetadataUrl(resource)).toBe(url);
  expect(resourceMetadataPaths(resource)).toEqual(paths);
});

test.each([
  [["a", "b"], { scopes_supported: ["a", "b"] }],
  [[], {}],
])("createResourceMetadata() with scopes %p is the document of RFC 9728", (scopes, members) => {
  expect(createResourceMetadata("https://a.example/mcp", ["https://as.example"], scopes)).toEqual({
    resource: "https://a.example/mcp",
    authorization_servers: ["https://as.example"],
    ...members,
    bearer_methods_supported: ["header"],
    resource_name: "scorpiox-code",
  });
});
