import { expect, test } from "bun:test";

import { navigationError, refusalOf } from "../../../src/web/browser/render-page.ts";

const refused = { host: "127.0.0.2", reason: 'Refused to connect to "127.0.0.2".' };

const rows: [failedUrl: string, errorText: string, code: string, message: string][] = [
  [
    "http://a.example/",
    "net::ERR_TOO_MANY_REDIRECTS",
    "limit",
    "http://a.example/ redirects endlessly.",
  ],
  [
    "https://b.example/",
    "net::ERR_CERT_DATE_INVALID",
    "system",
    "http://a.example/, which led to https://b.example/, has no trusted certificate (CERT_DATE_INVALID), so it was not read.",
  ],
  [
    "http://a.example/",
    "net::ERR_EMPTY_RESPONSE",
    "system",
    "The browser could not load http://a.example/ (EMPTY_RESPONSE).",
  ],
  [
    "https://127.0.0.2/x",
    "net::ERR_TUNNEL_CONNECTION_FAILED",
    "refused",
    'Refused to connect to "127.0.0.2". http://a.example/ led to https://127.0.0.2/x.',
  ],
];
test.each(rows)("navigationError() of %s with %s", (failedUrl, errorText, code, message) => {
  expect(navigationError("http://a.example/", failedUrl, errorText, [refused])).toMatchObject({
    code,
    message,
  });
});

test.each([
  ["http://[::1]:80/", "::1", true],
  ["http://[::1]/", "[::1]:80", true],
  ["http://LOCALHOST./", "localhost:8080", true],
  ["http://localhost/", "localhost.example", false],
  ["not a url", "", true],
])("refusalOf() %s by %s: %p", (url, host, isIt) => {
  expect(refusalOf(url, [{ host, reason: "" }]) !== undefined).toBe(isIt);
});
