/** What Homebrew, Scoop and winget are given, against their rules and against the archives that it names. */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

import { sha256 } from "../../build/distribution/program.ts";
import { folder, notRun, type Rehearsal, type Row, run } from "./rehearsal.ts";

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const address = z.url().regex(/^https:[^$]+$/);

/** Runs the formula with a stand-in of Homebrew, which is no package of Debian and wants a Ruby of its own. */
export function homebrewRehearsal({ outdir, has }: Rehearsal): Row {
  const name = "Homebrew formula";
  const archive = has("tar.gz");
  if (archive === undefined) return notRun(name, "there is no archive");
  if (Bun.which("ruby") === null) return notRun(name, "ruby is missing (Debian's package ruby)");
  const [source, prefix] = [freshFolder("formula"), freshFolder("prefix")];
  const formula = join(outdir, "scorpiox-code.rb");
  const steps = [
    ["ruby", "-wc", formula],
    ["tar", "-xf", archive, "-C", source],
    // Homebrew goes into the only folder of an archive.
    [
      "ruby",
      join(import.meta.dir, "formula-runner.rb"),
      formula,
      `${source}/scorpiox-code`,
      prefix,
    ],
  ];
  let text = "";
  for (const step of steps) {
    const done = run(step);
    if (!done.isDone) return [name, "FAIL", done.text];
    text = done.text;
  }
  const { facts, files } = z
    .object({
      facts: z.record(
        z.string(),
        z.strictObject({
          // At most 80 characters, no article in front, no full stop: the rules of `brew audit`.
          desc: z
            .string()
            .max(80)
            .regex(/^(?!An? |The )[A-Z].*[^.]$/),
          homepage: address,
          version: z.string(),
          license: z.string(),
          url: address,
          sha256: hash,
        }),
      ),
      files: z.array(z.string()),
    })
    .parse(JSON.parse(text));
  const wrong = Object.values(facts).filter(({ url, sha256: sum }) => sum !== sumOf(outdir, url));
  return wrong.length === 0
    ? [name, "pass", `4 systems, ${files.length} files installed, its test passes`]
    : [name, "FAIL", `another hash than that of ${wrong.map(({ url }) => url).join(", ")}`];
}

const scoopShape = z.strictObject({
  version: z.string().regex(/^[\w.+-]+$/),
  description: z.string(),
  homepage: address,
  license: z.string(),
  architecture: z.record(z.enum(["64bit", "arm64"]), z.strictObject({ url: address, hash })),
  extract_dir: z.string(),
  bin: z.string(),
  checkver: z.literal("github"),
  autoupdate: z.strictObject({
    architecture: z.record(
      z.enum(["64bit", "arm64"]),
      z.strictObject({ url: z.string().regex(/\/v\$version\//) }),
    ),
    hash: z.strictObject({ url: z.literal("$baseurl/SHA256SUMS") }),
  }),
});

export function scoopRehearsal({ outdir }: Rehearsal): Row {
  const name = "Scoop manifest";
  const manifest = scoopShape.parse(
    JSON.parse(readFileSync(join(outdir, "scorpiox-code.json"), "utf8")),
  );
  const faults = Object.values(manifest.architecture).flatMap(({ url, hash: sum }) => [
    ...(sum === sumOf(outdir, url) ? [] : [`another hash than that of ${url}`]),
    ...missingIn(outdir, url, `${manifest.extract_dir}/${manifest.bin}`),
  ]);
  return faults.length === 0
    ? [name, "pass", "fields, and for each processor the hash and the program in the archive"]
    : [name, "FAIL", faults.join(", ")];
}

const wingetHead = {
  PackageIdentifier: z.string().regex(/^[^.\s\\/:*?"<>|]{1,32}(?:\.[^.\s\\/:*?"<>|]{1,32}){1,7}$/),
  PackageVersion: z.string().regex(/^[^\\/:*?"<>|]{1,128}$/),
  ManifestVersion: z.literal("1.10.0"),
};
const wingetShapes = {
  version: z.strictObject({
    ...wingetHead,
    DefaultLocale: z.literal("en-US"),
    ManifestType: z.literal("version"),
  }),
  installer: z.strictObject({
    ...wingetHead,
    InstallerType: z.literal("zip"),
    NestedInstallerType: z.literal("portable"),
    NestedInstallerFiles: z.tuple([
      z.strictObject({
        RelativeFilePath: z.string().max(512),
        PortableCommandAlias: z.string().max(40),
      }),
    ]),
    Installers: z
      .array(
        z.strictObject({
          Architecture: z.enum(["x64", "arm64"]),
          InstallerUrl: address.max(2048),
          InstallerSha256: z.string().regex(/^[A-F0-9]{64}$/),
        }),
      )
      .min(1),
    ManifestType: z.literal("installer"),
  }),
  defaultLocale: z.strictObject({
    ...wingetHead,
    PackageLocale: z.literal("en-US"),
    Publisher: z.string().min(2).max(256),
    PackageName: z.string().min(2).max(256),
    PackageUrl: address,
    License: z.string().min(3).max(512),
    ShortDescription: z.string().min(3).max(256),
    Tags: z.array(z.string().max(40)).max(16),
    ManifestType: z.literal("defaultLocale"),
  }),
} as const;

export function wingetRehearsal({ outdir }: Rehearsal): Row {
  const name = "winget manifests";
  const read = (ending: string): unknown =>
    parse(readFileSync(join(outdir, `someone.scorpiox-code${ending}.yaml`), "utf8"));
  const { version, installer, defaultLocale } = wingetShapes;
  version.parse(read(""));
  defaultLocale.parse(read(".locale.en-US"));
  const { Installers, NestedInstallerFiles } = installer.parse(read(".installer"));
  const program = NestedInstallerFiles[0].RelativeFilePath.replaceAll("\\", "/");
  const faults = Installers.flatMap(({ InstallerUrl, InstallerSha256 }) => [
    ...(InstallerSha256.toLowerCase() === sumOf(outdir, InstallerUrl)
      ? []
      : [`another hash than that of ${InstallerUrl}`]),
    ...missingIn(outdir, InstallerUrl, program),
  ]);
  return faults.length === 0
    ? [name, "pass", "fields of the three, and for each processor the hash and the program"]
    : [name, "FAIL", faults.join(", ")];
}

function sumOf(outdir: string, url: string): string {
  return sha256(readFileSync(join(outdir, basename(url))));
}

/** The path, when the archive of this address does not have it. */
function missingIn(outdir: string, url: string, path: string): readonly string[] {
  const listed = run(["unzip", "-l", join(outdir, basename(url)), path]);
  return listed.isDone ? [] : [`${basename(url)} has no ${path}`];
}

function freshFolder(name: string): string {
  const path = join(folder, name);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  return path;
}
