import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { requireRepository } from "../../scripts/build/repository.ts";
import { repository } from "../../package.json";
import { createScratch } from "./run-installer.ts";

const root = join(import.meta.dir, "../..");

describe("requireRepository()", () => {
  const rows: [repository: string, here: string | undefined, said: string][] = [
    ["github:someone/scorpiox-code", undefined, "someone/scorpiox-code"],
    ["github:someone/scorpiox-code", "", "someone/scorpiox-code"],
    ["github:some-one/a.b_c", "some-one/a.b_c", "some-one/a.b_c"],
    [
      "github:someone/scorpiox-code",
      "fork/scorpiox-code",
      "but this is a build of fork/scorpiox-code",
    ],
    ["github:OWNER/scorpiox-code", undefined, "is the placeholder"],
    ["github:OWNER/scorpiox-code", "OWNER/scorpiox-code", "is the placeholder"],
    ["https://example.org/x", undefined, 'not "github:owner/name"'],
    ["github:a'b/c", undefined, 'not "github:owner/name"'],
    ["github:a/b/c", undefined, 'not "github:owner/name"'],
  ];
  test.each(rows)("%j, built for %j: %s", (named, here, said) => {
    using scratch = createScratch();
    writeFileSync(join(scratch.path, "package.json"), JSON.stringify({ repository: named }));
    let outcome: string;
    try {
      outcome = requireRepository(scratch.path, { GITHUB_REPOSITORY: here });
    } catch (error) {
      outcome = error instanceof Error ? error.message : "";
      expect(outcome.split("\n").length).toBe(1);
    }
    expect(outcome).toContain(said);
  });
});

test("a release is not built while nobody is named, or for another repository", () => {
  const build = (env: Record<string, string>) =>
    Bun.spawnSync([process.execPath, join(root, "scripts/build.ts"), "--release"], {
      env: { ...process.env, ...env },
      stderr: "pipe",
    });
  const { exitCode, stderr } = build({ GITHUB_REPOSITORY: "fork/else" });
  const lines = stderr.toString().trim().split("\n");
  expect({ exitCode, lines: lines.length }).toEqual({ exitCode: 1, lines: 1 });
  expect(lines[0]).toStartWith('build: "repository" of package.json is ');
});

test("every page names the repository of package.json", () => {
  const named = repository.replace("github:", "");
  const pages = readdirSync(join(root, "docs")).filter((file) => file.endsWith(".md"));
  const others = ["README.md", "CONTRIBUTING.md", ...pages.map((file) => `docs/${file}`)].flatMap(
    (file) =>
      [
        ...readFileSync(join(root, file), "utf8").matchAll(
          /([\w.-]+\/scorpiox-code)\/(?:releases|\\?\.github)/g,
        ),
      ]
        .map(([, found]) => found)
        .filter((found) => found !== named)
        .map((found) => `${file}: ${found}`),
  );
  expect(others).toEqual([]);
});
