import { describe, expect, test } from "bun:test";
import { parse } from "yaml";
import { z } from "zod";

import { containerfile } from "../../../../scripts/build/distribution/containerfile.ts";
import { homebrewFormula } from "../../../../scripts/build/distribution/homebrew.ts";
import { codeLink, cursorLink } from "../../../../scripts/build/distribution/install-links.ts";
import { mcpbManifest } from "../../../../scripts/build/distribution/mcpb.ts";
import {
  mainPackageJson,
  platformPackageJson,
} from "../../../../scripts/build/distribution/npm.ts";
import { specFile } from "../../../../scripts/build/distribution/rpm.ts";
import { scoopManifest } from "../../../../scripts/build/distribution/scoop.ts";
import { serverJson } from "../../../../scripts/build/distribution/server-json.ts";
import {
  downloadUrl,
  type ReleaseFacts,
  type WayName,
  ways,
} from "../../../../scripts/build/distribution/ways.ts";
import { wingetManifests } from "../../../../scripts/build/distribution/winget.ts";
import { manPage } from "../../../../scripts/build/man-page.ts";
import { findTarget, targets } from "../../../../scripts/build/targets.ts";
import { commandListings } from "../../../../src/cli/run/registry.ts";
import { product } from "../../../../src/base/product.ts";

const facts: ReleaseFacts = {
  version: "1.2.3",
  description: product.description,
  license: "MIT",
  repository: "someone/scorpiox-code",
};
const names = Object.keys(ways) as WayName[];
/** Every file of a release, with a hash of its own. */
const sums = new Map<string, string>(
  targets.flatMap((target, at) =>
    names
      .filter((name) => ways[name].has(target))
      .map((name): [string, string] => [
        ways[name].file(target, "1.2.3"),
        String(at).repeat(63) + names.indexOf(name),
      ]),
  ),
);
const targetOf = (name: string) => findTarget(name) ?? targets[0]!;
const bundles = new Map([...sums].filter(([file]) => file.endsWith(".mcpb")));

describe("ways", () => {
  test.each([
    ["linux-x64", "deb", "scorpiox-code_1.2.3-rc.1_amd64.deb"],
    ["linux-arm64", "rpm", "scorpiox-code-1.2.3-rc.1-1.aarch64.rpm"],
    ["windows-arm64", "zip", "scorpiox-code-windows-arm64.zip"],
    ["linux-x64-musl", "npm", "npm/scorpiox-code-linux-x64-musl-1.2.3-rc.1.tgz"],
    ["linux-x64-musl", "deb", undefined],
    ["linux-x64-musl", "mcpb", undefined],
    ["windows-x64", "tar.gz", undefined],
    ["darwin-arm64", "rpm", undefined],
  ] as const)("%s as %s", (name, way, file) => {
    const target = targetOf(name);
    const made = ways[way].has(target) ? ways[way].file(target, "1.2.3-rc.1") : undefined;
    expect(made).toBe(file);
  });

  test("no two packages have the same file", () => {
    const made = targets.flatMap((target) => names.filter((name) => ways[name].has(target)));
    expect(sums.size).toBe(made.length);
  });
});

describe("npm", () => {
  test("the main package wants the package of each target, at its own version", () => {
    const { bin, optionalDependencies } = mainPackageJson(facts);
    expect([bin, optionalDependencies]).toEqual([
      { "scorpiox-code": "npm-wrapper.cjs" },
      Object.fromEntries(targets.map(({ name }) => [`scorpiox-code-${name}`, "1.2.3"])),
    ]);
  });

  test.each([
    ["linux-x64", ["linux"], ["x64"], ["glibc"]],
    ["linux-arm64-musl", ["linux"], ["arm64"], ["musl"]],
    ["windows-arm64", ["win32"], ["arm64"], undefined],
    ["darwin-x64", ["darwin"], ["x64"], undefined],
  ])("the package of %s is for such machines", (name, os, cpu, libc) => {
    const json = platformPackageJson(facts, targetOf(name));
    expect([json["name"], json["os"], json["cpu"], json["libc"]]).toEqual([
      `scorpiox-code-${name}`,
      os,
      cpu,
      libc,
    ]);
  });
});

describe("package managers", () => {
  test("the formula has each archive for macOS and glibc with its hash", () => {
    const rows = homebrewFormula(facts, sums).matchAll(/url "(.*)"\n\s+sha256 "(.*)"/g);
    const expected = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"].map((name) => {
      const file = `scorpiox-code-${name}.tar.gz`;
      return [downloadUrl(facts, file), sums.get(file) ?? ""];
    });
    expect([...rows].map(([, url = "", sum = ""]) => [url, sum])).toEqual(expected);
  });

  test("the manifest of Scoop has both processors", () => {
    const zipOf = (cpu: string) => `scorpiox-code-windows-${cpu}.zip`;
    expect(scoopManifest(facts, sums)).toMatchObject({
      version: "1.2.3",
      extract_dir: "scorpiox-code",
      architecture: {
        "64bit": { url: downloadUrl(facts, zipOf("x64")), hash: sums.get(zipOf("x64")) },
        arm64: { url: downloadUrl(facts, zipOf("arm64")), hash: sums.get(zipOf("arm64")) },
      },
    });
  });

  test("the three manifests of winget name the same package", () => {
    const files = [...wingetManifests(facts, sums)];
    const read = files.map(([, text]) => parse(text) as Record<string, unknown>);
    expect(files.map(([file]) => file)).toEqual([
      "someone.scorpiox-code.yaml",
      "someone.scorpiox-code.installer.yaml",
      "someone.scorpiox-code.locale.en-US.yaml",
    ]);
    for (const row of read) {
      expect(row).toMatchObject({
        PackageIdentifier: "someone.scorpiox-code",
        PackageVersion: "1.2.3",
      });
    }
    expect(read[1]?.["Installers"]).toEqual(
      ["x64", "arm64"].map((cpu) => ({
        Architecture: cpu,
        InstallerUrl: downloadUrl(facts, `scorpiox-code-windows-${cpu}.zip`),
        InstallerSha256: sums.get(`scorpiox-code-windows-${cpu}.zip`)?.toUpperCase(),
      })),
    );
  });

  const service = [["usr/lib/systemd/system/scorpiox-code.service", "[Unit]\n"]] as const;

  test("the spec of the rpm installs what it owns", () => {
    const text = specFile(facts, service);
    const installed = [...text.matchAll(/%\{buildroot\}(\S+)/g)].map(([, path]) => path);
    const owned = [...text.matchAll(/^%attr\(.*(?=\/usr)(\S+)$/gm)].map(([, path]) => path);
    expect(installed).toEqual(owned);
    expect(owned).toContain("/usr/bin/scorpiox-code");
    expect(owned).toContain("/usr/lib/systemd/system/scorpiox-code.service");
  });

  test("a version before a release sorts before it in the rpm", () => {
    expect(specFile({ ...facts, version: "1.2.3-rc.1" }, service)).toContain(
      "\nVersion: 1.2.3~rc.1\n",
    );
  });

  test("the image has an archive for each processor", () => {
    const rows = containerfile(facts).matchAll(/FROM base AS (\w+)\nADD (\S+)/g);
    expect([...rows].map(([, cpu, file]) => [cpu, file])).toEqual([
      ["amd64", "scorpiox-code-linux-x64.tar.gz"],
      ["arm64", "scorpiox-code-linux-arm64.tar.gz"],
    ]);
  });
});

describe("bundles", () => {
  test("[IN14] a manifest starts the program of its system", () => {
    expect(mcpbManifest(facts, targetOf("windows-x64"))).toMatchObject({
      manifest_version: "0.3",
      tools_generated: true,
      server: {
        type: "binary",
        entry_point: "server/scorpiox-code.exe",
        mcp_config: {
          command: "${__dirname}/server/scorpiox-code.exe",
          args: ["--client", "claude-desktop"],
        },
      },
      compatibility: { platforms: ["win32"] },
    });
  });

  // The rules of the registry's schema of 2025-12-11 for what we write, as our contract states them.
  const registryEntry = z.strictObject({
    $schema: z.literal(
      "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    ),
    name: z.string().regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
    title: z.string().min(1).max(100),
    description: z.string().min(1).max(100),
    version: z.string().max(255),
    websiteUrl: z.url(),
    repository: z.strictObject({ url: z.url(), source: z.literal("github") }),
    packages: z
      .array(
        z.strictObject({
          registryType: z.literal("mcpb"),
          identifier: z.url().regex(/^https:.*mcp/),
          version: z.string(),
          fileSha256: z.string().regex(/^[a-f0-9]{64}$/),
          transport: z.strictObject({ type: z.literal("stdio") }),
        }),
      )
      .min(1),
  });

  test("[IN14] server.json follows the rules, with the hash of each bundle", () => {
    const { name, packages } = registryEntry.parse(serverJson(facts, bundles));
    expect(name).toBe("io.github.someone/scorpiox-code");
    expect(packages.map(({ identifier, fileSha256 }) => [identifier, fileSha256])).toEqual(
      [...bundles].map(([file, sum]) => [downloadUrl(facts, file), sum]),
    );
  });
});

describe("install links", () => {
  test("carry the entries that install would write, started by npx", () => {
    const config = new URL(cursorLink()).searchParams.get("config") ?? "";
    const cursor: unknown = JSON.parse(Buffer.from(config, "base64").toString());
    const vscode: unknown = JSON.parse(decodeURIComponent(codeLink().split("?")[1] ?? ""));
    const args = (id: string) => ["-y", "scorpiox-code", "--client", id, "--defer", "off"];
    expect([cursor, vscode]).toEqual([
      { command: "npx", args: args("cursor") },
      { name: "scorpiox-code", type: "stdio", command: "npx", args: args("vscode") },
    ]);
  });
});

describe("the man page", () => {
  test("has every command, in ASCII", async () => {
    const page = await manPage("1.2.3");
    const sections = [...page.matchAll(/^\.SS (.*)$/gm)].map(([, text = ""]) =>
      text.replaceAll("\\-", "-"),
    );
    expect(commandListings.filter((row, at) => !sections[at]?.startsWith(row.name))).toEqual([]);
    expect(page).toMatch(/^[\n -~]*$/);
  });

  test.skipIf(Bun.which("groff") === null)("has no fault that groff knows", async () => {
    const child = Bun.spawn(["groff", "-man", "-Tutf8", "-ww", "-wbreak"], {
      stdin: Buffer.from(await manPage("1.2.3")),
      stdout: "ignore",
      stderr: "pipe",
      env: { ...process.env, LC_ALL: "C.UTF-8" },
    });
    expect(await child.stderr.text()).toBe("");
  });
});
