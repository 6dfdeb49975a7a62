import { describe, expect, test } from "bun:test";

import {
  hideInArguments,
  hideInText,
  hideInUrl,
  hideTokens,
  isSecretFlag,
  isSecretName,
  saysSecret,
} from "../../src/base/secrets.ts";
import { shownEntry } from "../../src/cli/typed-server.ts";
import { redact } from "../../src/calls/policy/audit/audit-log.ts";
import { tokenExamples } from "../fixtures/token-examples.ts";

/** Every way in which a text leaves; each gives what is shown of it. */
const exits: readonly (readonly [string, (secret: string) => string])[] = [
  ["lock, arguments", (secret) => hideInArguments(["-y", secret]).join(" ")],
  ["lock, an address", (secret) => hideInUrl(`https://h.test/x?q=${secret}`)],
  ["get and list, arguments", (secret) => JSON.stringify(shownEntry({ args: [secret] }))],
  ["get and list, variables", (secret) => JSON.stringify(shownEntry({ env: { MODE: secret } }))],
  [
    "get and list, addresses",
    (secret) => JSON.stringify(shownEntry({ url: `https://h.test/${secret}` })),
  ],
  ["get and list, headers", (secret) => JSON.stringify(shownEntry({ headers: { X: secret } }))],
  ["audit and hook log", (secret) => redact(`use ${secret} there`, [])],
  ["logs, errors and status", (secret) => hideTokens(`bad token ${secret}.`)],
];

describe("no exit shows a secret by its shape", () => {
  const rows = exits.flatMap(([exit, shown]) =>
    tokenExamples.map(([name, example]) => [exit, name, shown, example] as const),
  );
  test.each(rows)("%s: %s", (_exit, _name, shown, example) => {
    const text = shown(example);
    expect(text).toMatch(/\*\*\*|\[redacted\]/);
    expect(text).not.toContain(example.slice(-8));
  });
});

test.each([
  "a task-management-of-teams thing",
  "gh auth login",
  "npm_config_registry=https://x.test",
  "the sketch-book-and-more",
  "hf_hub and pypi-server",
  "sk-learn",
  "commit 0123456789abcdef0123456789abcdef01234567",
])("is no secret: %s", (text) => {
  expect(hideInText(text)).toBe(text);
});

test.each([
  ["GITHUB_TOKEN", true, true],
  ["SERVICE_KEY", true, false],
  ["DB_PWD", true, false],
  ["PWD", false, false],
  ["OLDPWD", false, false],
  ["sig", true, false],
  ["design", false, false],
  ["client_secret", true, true],
  ["api key", true, true],
  ["HOME", false, false],
])("of the name %s", (name, isSetting, isSaid) => {
  expect([isSecretName(name), saysSecret(name)]).toEqual([isSetting, isSaid]);
});

test.each([
  ["--api-key", true],
  ["-token", true],
  ["--token-file", false],
  ["--auth-mode", false],
  ["token", false],
  ["--token=x", false],
  [undefined, false],
])("of the flag %s", (word, isSecret) => {
  expect(isSecretFlag(word)).toBe(isSecret);
});
