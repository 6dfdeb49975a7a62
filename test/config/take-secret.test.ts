import { afterEach, expect, test } from "bun:test";

import { messageOf } from "../../src/base/errors.ts";
import { hasSecrets } from "../../src/config/secret-names.ts";
import { removeSecrets, takeSecret } from "../../src/config/take-secret.ts";
import { TempTree } from "./temp-tree.ts";

afterEach(() => void removeSecrets({}));

const files = {
  "with-break": "from a file\n",
  "credentials/secrets_key": "from systemd",
  "hyphen/secrets-key": "from systemd",
  empty: "\n",
};

test.each([
  ["a variable", { SECRETS_KEY: "plain" }, "plain"],
  ["a variable of ours", { SCORPIOX_SECRETS_KEY: "plain" }, "plain"],
  ["a file", { SECRETS_KEY_FILE: "DIR/with-break" }, "from a file"],
  ["a credential", { CREDENTIALS_DIRECTORY: "DIR/credentials" }, "from systemd"],
  ["a credential with a hyphen", { CREDENTIALS_DIRECTORY: "DIR/hyphen" }, "from systemd"],
  [
    "a variable before a credential",
    { CREDENTIALS_DIRECTORY: "DIR/credentials", SECRETS_KEY: "plain" },
    "plain",
  ],
  ["an empty variable", { SECRETS_KEY: "" }, undefined],
  ["a credential of another name", { CREDENTIALS_DIRECTORY: "DIR" }, undefined],
  ["nothing", {}, undefined],
] as const)("takeSecret: %s, which leaves the environment", (_what, given, expected) => {
  using tree = new TempTree(files);
  const env: Record<string, string | undefined> = { PATH: "/bin" };
  for (const [name, value] of Object.entries(given)) {
    env[name] = value.replace("DIR", tree.path(""));
  }
  expect(hasSecrets(env)).toBe(Object.keys(given).length > 0);
  removeSecrets(env);
  expect([env, takeSecret("SECRETS_KEY")]).toEqual([{ PATH: "/bin" }, expected]);
  // It can be taken again, by another part.
  expect(takeSecret("SECRETS_KEY")).toBe(expected);
});

test.each([
  [
    { SECRETS_KEY: "a", SECRETS_KEY_FILE: "DIR/with-break" },
    "SECRETS_KEY and SECRETS_KEY_FILE are both set. Keep one of them.",
  ],
  [{ SECRETS_KEY_FILE: "DIR/none" }, "SECRETS_KEY_FILE: DIR/none does not exist."],
  [{ SECRETS_KEY_FILE: "DIR/empty" }, "SECRETS_KEY_FILE: DIR/empty is empty."],
  [{ SECRETS_KEY_FILE: "DIR/credentials" }, "SECRETS_KEY_FILE: DIR/credentials is a directory."],
])("takeSecret refuses %j", (given, message) => {
  using tree = new TempTree(files);
  const inTree = (text: string): string => text.replace("DIR", tree.path(""));
  removeSecrets(
    Object.fromEntries(Object.entries(given).map(([name, text]) => [name, inTree(text)])),
  );
  let said = "";
  try {
    takeSecret("SECRETS_KEY");
  } catch (error) {
    said = messageOf(error);
  }
  expect(said).toBe(inTree(message));
});
