import { readFileSync } from "node:fs";
import { join } from "node:path";

import { completionScripts } from "../../../src/cli/completion/scripts.ts";
import { manPage } from "../man-page.ts";
import { type Entry, type Program, programEntry, textEntry } from "./program.ts";

/** The texts that come with the program in every package. */
export interface Companions {
  readonly license: string;
  readonly readme: string;
  readonly manPage: string;
  readonly completions: Readonly<Record<"bash" | "zsh" | "fish" | "powershell", string>>;
  /** To serve a team (docs/deploy.md), for packages of systems that have systemd: where each is installed, and its text. */
  readonly service: readonly (readonly [place: string, text: string])[];
}

/** Files of `deploy/`, and their places below the root. */
const serviceFiles = [
  ["systemd/scorpiox-code.service", "usr/lib/systemd/system/scorpiox-code.service"],
  ["systemd/scorpiox.sysusers", "usr/lib/sysusers.d/scorpiox.conf"],
  ["systemd/strict.conf", "usr/share/doc/scorpiox-code/examples/strict.conf"],
  ["proxy/nginx.conf", "usr/share/doc/scorpiox-code/examples/nginx.conf"],
  ["proxy/Caddyfile", "usr/share/doc/scorpiox-code/examples/Caddyfile"],
] as const;

export async function readCompanions(root: string, version: string): Promise<Companions> {
  const { bash, zsh, fish, powershell } = completionScripts;
  return {
    license: readFileSync(join(root, "LICENSE"), "utf8"),
    readme: readFileSync(join(root, "README.md"), "utf8"),
    manPage: await manPage(version),
    completions: {
      bash: bash.text,
      zsh: zsh.text,
      fish: fish.text,
      powershell: powershell.text,
    },
    service: serviceFiles.map(([file, place]) => [
      place,
      readFileSync(join(root, "deploy", file), "utf8"),
    ]),
  };
}

/** The only folder in an archive: Homebrew, Scoop and the image look into it. */
export const archiveFolder = "scorpiox-code";

/** The files of an archive that people unpack themselves. */
export function archiveEntries(
  program: Program,
  { license, readme, manPage: man, completions }: Companions,
  isWindows: boolean,
): readonly Entry[] {
  const common = [
    programEntry(isWindows ? "scorpiox-code.exe" : "scorpiox-code", program),
    textEntry("LICENSE", license),
    textEntry("README.md", readme),
  ];
  const others = isWindows
    ? [textEntry("completions/scorpiox-code.ps1", completions.powershell)]
    : [
        textEntry("scorpiox-code.1", man),
        textEntry("completions/scorpiox-code.bash", completions.bash),
        textEntry("completions/_scorpiox-code", completions.zsh),
        textEntry("completions/scorpiox-code.fish", completions.fish),
      ];
  return [...common, ...others].map((entry) => ({
    ...entry,
    path: `${archiveFolder}/${entry.path}`,
  }));
}
