import { stringify } from "yaml";

import { targets } from "../targets.ts";
import { archiveFolder } from "./companions.ts";
import { downloadUrl, homepageOf, type ReleaseFacts, ways } from "./ways.ts";

const manifestVersion = "1.10.0";
const locale = "en-US";

/** The three files that winget wants, by name. @param sums the hash of each file of the release, by its name */
export function wingetManifests(
  facts: ReleaseFacts,
  sums: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const [owner = ""] = facts.repository.split("/");
  const id = `${owner}.scorpiox-code`;
  const installers = targets.filter(ways.zip.has).flatMap((target) => {
    const file = ways.zip.file(target, facts.version);
    const sum = sums.get(file)?.toUpperCase();
    const url = { InstallerUrl: downloadUrl(facts, file), InstallerSha256: sum };
    return sum === undefined ? [] : [{ Architecture: target.cpu, ...url }];
  });
  const head = { PackageIdentifier: id, PackageVersion: facts.version };
  const program = `${archiveFolder}\\scorpiox-code.exe`;
  return new Map([
    [`${id}.yaml`, yaml("version", { ...head, DefaultLocale: locale })],
    [
      `${id}.installer.yaml`,
      yaml("installer", {
        ...head,
        InstallerType: "zip",
        NestedInstallerType: "portable",
        NestedInstallerFiles: [
          { RelativeFilePath: program, PortableCommandAlias: "scorpiox-code" },
        ],
        Installers: installers,
      }),
    ],
    [
      `${id}.locale.${locale}.yaml`,
      yaml("defaultLocale", {
        ...head,
        PackageLocale: locale,
        Publisher: owner,
        PackageName: "scorpiox-code",
        PackageUrl: homepageOf(facts),
        License: facts.license,
        ShortDescription: facts.description,
        Tags: ["mcp", "model-context-protocol"],
      }),
    ],
  ]);
}

function yaml(type: string, fields: Readonly<Record<string, unknown>>): string {
  const schema = `https://aka.ms/winget-manifest.${type}.${manifestVersion}.schema.json`;
  const body = stringify({ ...fields, ManifestType: type, ManifestVersion: manifestVersion });
  return `# yaml-language-server: $schema=${schema}\n\n${body}`;
}
