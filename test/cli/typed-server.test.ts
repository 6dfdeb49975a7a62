import { expect, test } from "bun:test";

import { plainSecrets, shownEntry } from "../../src/cli/typed-server.ts";

/** Text, what is shown of it, the name of the secret in it. */
test.each([
  ["GITHUB_TOKEN=${GITHUB_TOKEN}", "GITHUB_TOKEN=${GITHUB_TOKEN}", undefined],
  ["GITHUB_TOKEN", "GITHUB_TOKEN", undefined],
  ["API_KEY=abc123", "API_KEY=***", "API_KEY"],
  ["--api-key=${K}", "--api-key=${K}", undefined],
  ["--api-key=k", "--api-key=***", "API_KEY"],
  ["https://u:${P}@h.test/", "https://u:${P}@h.test/", undefined],
  ["https://u:p@h.test/", "https://***@h.test/", "SECRET"],
  ["sk-0123456789abcdef0123", "***", "SECRET"],
  ["--auth-mode=none", "--auth-mode=none", undefined],
  ["A_TOKEN=x${X} B=${Y}", "A_TOKEN=***", "A_TOKEN"],
  ["SERVICE_KEY=abc", "SERVICE_KEY=***", "SERVICE_KEY"],
  ["DB_PWD=abc", "DB_PWD=***", "DB_PWD"],
  ["--sort-key-file=abc", "--sort-key-file=abc", undefined],
  ["authorize", "authorize", undefined],
  ["key=1", "key=1", undefined],
  ["$${A_TOKEN}", "$${A_TOKEN}", undefined],
])("of the argument %j is shown %j", (text, shown, name) => {
  const entry = { command: "c", args: [text] };
  expect(shownEntry(entry)).toEqual({ command: "c", args: [shown] });
  const secrets = name === undefined ? [] : [{ path: "args.0", name }];
  expect(plainSecrets(entry)).toEqual(secrets);
});

test.each([
  [
    { args: ["--token", "t", "--token", "${T}", "--token", "--x"] },
    { args: ["--token", "***", "--token", "${T}", "--token", "--x"] },
  ],
  [
    { env: { A_KEY: "k", B_KEY: "${K}", C_KEY: "x-${K}", PATH: "/x" } },
    { env: { A_KEY: "***", B_KEY: "${K}", C_KEY: "***", PATH: "/x" } },
  ],
  [
    { headers: { Authorization: "Bearer t", X: "y", "Content-Type": "a/b", Z: "Token ${T}" } },
    { headers: { Authorization: "Bearer ***", X: "***", "Content-Type": "a/b", Z: "Token ${T}" } },
  ],
  [
    { url: "https://u:p@h.test/?token=${T}&key=lit&a=b" },
    { url: "https://***@h.test/?token=${T}&key=***&a=b" },
  ],
  [
    { oauth: { clientId: "i", clientSecret: "s" } },
    { oauth: { clientId: "i", clientSecret: "***" } },
  ],
  [
    { oauth: { private_key: "k", private_key_file: "~/k", kid: "1", algorithm: "ES256" } },
    { oauth: { private_key: "***", private_key_file: "~/k", kid: "1", algorithm: "ES256" } },
  ],
])("of %j is shown %j", (entry, shown) => {
  expect(shownEntry(entry)).toEqual(shown);
});
