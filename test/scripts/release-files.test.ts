import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { bundledPackages, readProduct, readRuntime } from "../../scripts/build/packages.ts";
import { pack, writeArchives } from "../../scripts/build/archives.ts";
import {
  describeArtifact,
  withArchives,
  writeInstallers,
  writeReleaseFiles,
} from "../../scripts/build/release-files.ts";
import { createSbom } from "../../scripts/build/sbom.ts";
import { targets } from "../../scripts/build/targets.ts";
import { createScratch } from "./run-installer.ts";

const root = join(import.meta.dir, "../..");
const facts = { name: "scorpiox-code", version: "1.2.3", commit: "abc", bun: "1.4.5" };

function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

function exampleSbom(): Record<string, unknown> {
  const inputs = [
    "src/main.ts",
    "node_modules/zod/mini/index.js",
    "../elsewhere/node_modules/@types/bun/index.d.ts",
    "node_modules/zod/v4/core/core.js",
  ];
  return createSbom(
    readProduct(root),
    targets.map((row) => readRuntime(root, row)),
    bundledPackages(root, inputs),
  );
}

describe("writeReleaseFiles()", () => {
  test("writes checksums that match, and a manifest of the same facts", async () => {
    using scratch = createScratch();
    const chosen = [targets[0]!, targets[7]!];
    for (const row of chosen) writeFileSync(join(scratch.path, row.file), `program ${row.name}`);
    const artifacts = await Promise.all(chosen.map((row) => describeArtifact(scratch.path, row)));
    await writeReleaseFiles(scratch.path, facts, artifacts, exampleSbom());
    const read = (file: string) => readFileSync(join(scratch.path, file), "utf8");
    const files = [...chosen.map((row) => row.file), "manifest.json", "sbom.cdx.json"];
    expect(readdirSync(scratch.path).sort()).toEqual(["SHA256SUMS", ...files].sort());
    expect(read("SHA256SUMS")).toBe(
      files.map((file) => `${sha256(read(file))}  ${file}\n`).join(""),
    );
    expect(JSON.parse(read("manifest.json"))).toEqual({
      ...facts,
      artifacts: [
        {
          target: "linux-x64",
          file: "scorpiox-code-linux-x64",
          os: "linux",
          cpu: "x64",
          libc: "glibc",
          bytecode: true,
          bytes: 17,
          sha256: sha256("program linux-x64"),
        },
        {
          target: "windows-arm64",
          file: "scorpiox-code-windows-arm64.exe",
          os: "windows",
          cpu: "arm64",
          libc: null,
          bytecode: true,
          bytes: 21,
          sha256: sha256("program windows-arm64"),
        },
      ],
    });
  });
});

describe("a release", () => {
  test("lists a program and its packed forms, which unpack to it", async () => {
    using scratch = createScratch();
    const row = targets[0]!;
    const program = "program ".repeat(1_000);
    writeFileSync(join(scratch.path, row.file), program);
    const files = writeArchives(scratch.path, row.file, await pack(Buffer.from(program)));
    const plain = await describeArtifact(scratch.path, row);
    const artifact = await withArchives(scratch.path, plain, files);
    const bytesOf = (file: string) => new Uint8Array(readFileSync(join(scratch.path, file)));
    expect(artifact).toEqual({
      ...plain,
      archives: [".gz", ".zst"].map((ending) => {
        const bytes = bytesOf(row.file + ending);
        const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
        return { file: row.file + ending, bytes: bytes.length, sha256: hash };
      }),
    });
    expect([
      Buffer.from(Bun.gunzipSync(bytesOf(`${row.file}.gz`))).toString(),
      Buffer.from(Bun.zstdDecompressSync(bytesOf(`${row.file}.zst`))).toString(),
    ]).toEqual([program, program]);
    await writeReleaseFiles(scratch.path, facts, [artifact], {}, []);
    const sums = readFileSync(join(scratch.path, "SHA256SUMS"), "utf8");
    expect(sums.split("\n").slice(0, 3)).toEqual(
      [artifact, ...(artifact.archives ?? [])].map(({ sha256: sum, file }) => `${sum}  ${file}`),
    );
  });

  test("has the installers of the checkout, but for the repository and the key that they know", () => {
    using scratch = createScratch();
    expect(
      writeInstallers(root, scratch.path, {
        repository: "someone/scorpiox-code",
        publicKey: "MFkw+/=",
      }),
    ).toEqual(["install.sh", "install.ps1"]);
    for (const [file, lines] of [
      ["install.sh", ["REPOSITORY=someone/scorpiox-code", "PUBLIC_KEY=MFkw+/="]],
      ["install.ps1", ["$Repository = 'someone/scorpiox-code'", "$PublicKey = 'MFkw+/='"]],
    ] as const) {
      const ours = readFileSync(join(root, "scripts", file), "utf8").split("\n");
      const theirs = readFileSync(join(scratch.path, file), "utf8").split("\n");
      expect(theirs.filter((text, index) => text !== ours[index])).toEqual([...lines]);
    }
  });
});

describe("createSbom()", () => {
  // The parts of the CycloneDX 1.6 schema that we write, as strict as it is.
  const spdxId = z.string().regex(/^[A-Za-z0-9.+-]+$/);
  const component = z.strictObject({
    type: z.enum(["application", "platform", "library"]),
    "bom-ref": z.string().min(1),
    group: z.string().optional(),
    name: z.string().min(1),
    version: z.string().optional(),
    description: z.string().optional(),
    licenses: z.tuple([
      z.union([
        z.strictObject({ license: z.strictObject({ id: spdxId }) }),
        z.strictObject({ expression: z.string().min(1) }),
      ]),
    ]),
    purl: z
      .string()
      .regex(/^pkg:npm\/(%40[^/]+\/)?[^/@]+@\d+\.\d+\.\d+/)
      .optional(),
    hashes: z
      .array(
        z.strictObject({ alg: z.literal("SHA-512"), content: z.string().regex(/^[0-9a-f]{128}$/) }),
      )
      .optional(),
    externalReferences: z
      .array(z.strictObject({ type: z.enum(["vcs", "license", "website"]), url: z.url() }))
      .optional(),
    get components() {
      return z.array(component).optional();
    },
  });
  const bom = z.strictObject({
    $schema: z.literal("http://cyclonedx.org/schema/bom-1.6.schema.json"),
    bomFormat: z.literal("CycloneDX"),
    specVersion: z.literal("1.6"),
    serialNumber: z
      .string()
      .regex(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    version: z.literal(1),
    metadata: z.strictObject({ component }),
    components: z.array(component),
    dependencies: z.array(
      z.strictObject({ ref: z.string(), dependsOn: z.array(z.string()).optional() }),
    ),
  });

  test("has the structure of CycloneDX 1.6, each reference once and resolved", () => {
    const { metadata, components, dependencies } = bom.parse(exampleSbom());
    const all = [metadata.component, ...components];
    const nested = all.flatMap((row) => [row, ...(row.components ?? [])]);
    const references = nested.map((row) => row["bom-ref"]);
    expect(new Set(references).size).toBe(references.length);
    expect(dependencies.map((row) => row.ref)).toEqual(all.map((row) => row["bom-ref"]));
    expect(dependencies[0]?.dependsOn).toEqual(components.map((row) => row["bom-ref"]));
  });

  test("names the runtime of each target and each bundled package with its hash", () => {
    const { components } = bom.parse(exampleSbom());
    const names = components.map((row) => [row.group, row.name].filter(Boolean).join("/"));
    expect(names).toEqual([
      "@oven/bun-linux-x64",
      "@oven/bun-linux-aarch64",
      "@oven/bun-linux-x64-musl",
      "@oven/bun-linux-aarch64-musl",
      "@oven/bun-darwin-x64",
      "@oven/bun-darwin-aarch64",
      "@oven/bun-windows-x64",
      "@oven/bun-windows-aarch64",
      "@types/bun",
      "zod",
    ]);
    expect(components.filter((row) => row.hashes === undefined)).toEqual([]);
  });

  test("is the same for the same inputs", () => {
    expect(exampleSbom()).toEqual(exampleSbom());
  });
});
