import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describeUser } from "../../../src/commands/process/process-origin.ts";

const folder = mkdtempSync(join(tmpdir(), "scorpiox-user-"));
afterAll(() => rmSync(folder, { recursive: true }));
const users = join(folder, "passwd");
writeFileSync(
  users,
  [
    "# users",
    "root:x:0:0:root:/root:/bin/bash",
    "ann:x:1000:1000:Ann, of:/home/ann:/bin/zsh",
    "nobody:x:10:10::/:",
    "broken:x:12",
  ].join("\n"),
);

const unknown = { username: "unknown", shell: "unknown" };

test.each([
  ["variables", { username: "bob", shell: "/bin/sh" }, 1000, "bob", "/bin/sh"],
  ["no variables", unknown, 1000, "ann", "/bin/zsh"],
  ["no USER", { ...unknown, shell: "/bin/sh" }, 0, "root", "/bin/sh"],
  ["no SHELL", { ...unknown, username: "bob" }, 1000, "bob", "/bin/zsh"],
  ["an entry without a shell", unknown, 10, "nobody", null],
  ["no entry", unknown, 11, "11", null],
  ["half an entry", unknown, 12, "12", null],
  ["a system without numbers", { username: "bob", shell: null }, undefined, "bob", null],
])("describeUser() with %s [GW-34]", (_what, known, uid, name, shell) => {
  expect(describeUser("/h", known, uid, users)).toEqual({ name, homeDir: "/h", shell });
});

test("describeUser() without a user database has the number only", () => {
  const missing = join(folder, "none");
  expect(describeUser("/h", unknown, 7, missing)).toEqual({
    name: "7",
    homeDir: "/h",
    shell: null,
  });
});
