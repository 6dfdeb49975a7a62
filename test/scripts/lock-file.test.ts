import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const root = join(import.meta.dir, "../..");
const names = z.record(z.string(), z.string()).default({});
const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.object({ optionalDependencies: names, hasInstallScript: z.boolean().default(false) }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))).packages;
const project = z
  .object({ dependencies: names, devDependencies: names })
  .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));

describe("package-lock.json", () => {
  // npm leaves out what the registry did not show it; then `npm ci` refuses the file on every machine.
  test("has the packages of every platform", () => {
    const missing = Object.entries(lock).flatMap(([path, row]) =>
      Object.keys(row.optionalDependencies).filter(
        (name) => !(`node_modules/${name}` in lock) && !(`${path}/node_modules/${name}` in lock),
      ),
    );
    expect(missing).toEqual([]);
  });

  test("has no install script that is run but that of Bun, which place_bun runs by name", () => {
    const paths = Object.keys(lock).filter((path) => lock[path]?.hasInstallScript === true);
    // The Inspector's script prepares its window, which no test opens.
    const notRun = ["node_modules/fsevents", "node_modules/@modelcontextprotocol/inspector"];
    expect(paths.filter((path) => !notRun.includes(path))).toEqual(["node_modules/bun"]);
  });
});

test("package.json pins each dependency to one version", () => {
  const versions = Object.values({ ...project.dependencies, ...project.devDependencies });
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});
