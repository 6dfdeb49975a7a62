import { findTarget } from "../targets.ts";
import { archiveFolder } from "./companions.ts";
import { downloadUrl, homepageOf, type ReleaseFacts, ways } from "./ways.ts";

const processors = { "64bit": "windows-x64", arm64: "windows-arm64" } as const;

/** `scorpiox-code.json` for a bucket. @param sums the hash of each file of the release, by its name */
export function scoopManifest(
  facts: ReleaseFacts,
  sums: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  const rows = Object.entries(processors).flatMap(([processor, name]) => {
    const target = findTarget(name);
    const file = target === undefined ? "" : ways.zip.file(target, facts.version);
    const hash = sums.get(file);
    return hash === undefined ? [] : [{ processor, file, hash }];
  });
  const latest = `${homepageOf(facts)}/releases/download/v$version`;
  return {
    version: facts.version,
    description: facts.description,
    homepage: homepageOf(facts),
    license: facts.license,
    architecture: Object.fromEntries(
      rows.map(({ processor, file, hash }) => [processor, { url: downloadUrl(facts, file), hash }]),
    ),
    extract_dir: archiveFolder,
    bin: "scorpiox-code.exe",
    checkver: "github",
    autoupdate: {
      architecture: Object.fromEntries(
        rows.map(({ processor, file }) => [processor, { url: `${latest}/${file}` }]),
      ),
      hash: { url: "$baseurl/SHA256SUMS" },
    },
  };
}
