/** Two versions of the executable with the release key of this run: the present one, and one that says it is newer. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { join } from "node:path";

import { root } from "../../../test/e2e/harness/binary.ts";
import type { TempFolder } from "../../../test/e2e/harness/temp-folder.ts";

/** What the build reads. */
const sources = ["src", "scripts", "package.json", "package-lock.json", "tsconfig.json"] as const;

export const nextVersion = "99.0.0";

export interface Programs {
  readonly present: string;
  readonly presentVersion: string;
  readonly next: string;
  /** What releases are signed with. */
  readonly key: KeyObject;
}

/** Builds both below `folder`. @throws Error with the words of a build that failed */
export function buildPrograms(folder: TempFolder): Programs {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keyFile = folder.write("key.pem", publicKey.export({ type: "spki", format: "pem" }));
  const copy = folder.folder("copy");
  for (const name of sources) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const text = readFileSync(join(copy, "package.json"), "utf8");
  const { version } = JSON.parse(text) as { version: string };
  writeFileSync(
    join(copy, "package.json"),
    text.replace(`"version": "${version}"`, `"version": "${nextVersion}"`),
  );
  return {
    present: build(root, folder.at("present"), keyFile),
    presentVersion: version,
    next: build(copy, folder.at("next"), keyFile),
    key: privateKey,
  };
}

function build(checkout: string, outdir: string, keyFile: string): string {
  mkdirSync(outdir);
  const words = [process.execPath, "scripts/build.ts", "--outdir", outdir];
  const { exitCode, stderr } = Bun.spawnSync(words, {
    cwd: checkout,
    env: { ...process.env, SCORPIOX_BUILD_RELEASE_KEY: keyFile },
    stdin: "ignore",
  });
  if (exitCode !== 0) throw new Error(`the build failed: ${stderr.toString()}`);
  return join(outdir, "scorpiox-code");
}
