import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { readPage, root } from "./pages.ts";

const { text } = readPage("docs/dependencies.md");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};

/** Packages with their versions, in the table of a section. */
function packagesOf(section: string): Record<string, string> {
  const table = text.split(`\n## ${section}\n`)[1]?.split(/\n(?=[^|\n])/)[0] ?? "";
  const rows = [...table.matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\|/gm)].slice(2);
  const pairs = rows.flatMap(([, names = "", versions = ""]) => {
    const each = versions.split(", ");
    return names.split(", ").map((name, place) => [name.replaceAll("`", ""), each[place] ?? ""]);
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** Packages that the program imports. */
function imported(): ReadonlySet<string> {
  const files = new Bun.Glob("**/*.ts").scanSync(join(root, "src"));
  const specifiers = [...files].flatMap((file) => {
    const source = readFileSync(join(root, "src", file), "utf8");
    return [...source.matchAll(/\b(?:from |import\()"([@a-z][^"]*)"/g)].map(
      ([, name]) => name ?? "",
    );
  });
  const packages = specifiers.map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
  return new Set(packages.filter((name) => !/^(?:node|bun)(?::|$)/.test(name)));
}

const versionsOf = (names: Iterable<string>): Record<string, string> =>
  Object.fromEntries(
    [...names].toSorted().map((name) => [name, manifest.devDependencies[name] ?? ""]),
  );

test("docs/dependencies.md names each package in the executable, with its version", () => {
  const { Bun: _runtime, ...named } = packagesOf("In the executable");
  expect(named).toEqual(versionsOf(imported()));
});

test("docs/dependencies.md names each other package, with its version", () => {
  const named = { ...packagesOf("In the executable"), ...packagesOf("For building and testing") };
  const { Bun: _runtime, ...packages } = named;
  expect(packages).toEqual(versionsOf(Object.keys(manifest.devDependencies)));
});
