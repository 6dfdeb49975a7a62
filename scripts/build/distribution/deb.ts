import type { Target } from "../targets.ts";
import type { Companions } from "./companions.ts";
import {
  type Entry,
  fixedTime,
  gzipText,
  type Program,
  programEntry,
  textEntry,
} from "./program.ts";
import { packTar, withFolders } from "./tar.ts";
import { debianCpu, homepageOf, type ReleaseFacts, systemVersion } from "./ways.ts";

/** A `.deb`, without dpkg: an `ar` of the format's version, of facts and scripts, and of files. */
export async function packDeb(
  facts: ReleaseFacts,
  target: Target,
  program: Program,
  companions: Companions,
): Promise<Uint8Array> {
  const files = filesOf(program, companions);
  const control = [
    textEntry("./control", controlFile(facts, target, files)),
    textEntry("./md5sums", files.map((file) => `${md5(file.bytes)}  ${file.path}\n`).join("")),
  ];
  const placed = withFolders(files).map((file) => ({ ...file, path: `./${file.path}` }));
  return ar([
    ["debian-binary", Buffer.from("2.0\n")],
    ["control.tar.gz", await packTar(control, undefined, "gz")],
    ["data.tar.gz", await packTar(placed, program, "gz")],
  ]);
}

function filesOf(program: Program, companions: Companions): readonly Entry[] {
  const { license, readme, manPage, completions, service } = companions;
  const files: readonly Entry[] = [
    programEntry("usr/bin/scorpiox-code", program),
    textEntry("usr/share/bash-completion/completions/scorpiox-code", completions.bash),
    textEntry("usr/share/doc/scorpiox-code/README.md", readme),
    textEntry("usr/share/doc/scorpiox-code/copyright", license),
    textEntry("usr/share/fish/vendor_completions.d/scorpiox-code.fish", completions.fish),
    { path: "usr/share/man/man1/scorpiox-code.1.gz", mode: 0o644, bytes: gzipText(manPage) },
    textEntry("usr/share/zsh/vendor-completions/_scorpiox-code", completions.zsh),
    ...service.map(([place, text]) => textEntry(place, text)),
  ];
  return files;
}

function controlFile(facts: ReleaseFacts, target: Target, files: readonly Entry[]): string {
  const kibibytes = files.reduce((sum, { bytes }) => sum + Math.ceil(bytes.length / 1024), 0);
  const [owner] = facts.repository.split("/");
  return `Package: scorpiox-code
Version: ${systemVersion(facts.version)}
Architecture: ${debianCpu(target)}
Maintainer: ${owner} <${owner}@users.noreply.github.com>
Installed-Size: ${kibibytes}
Depends: libc6 (>= 2.17)
Recommends: bubblewrap, ca-certificates
Section: devel
Priority: optional
Homepage: ${homepageOf(facts)}
Description: working tools for AI clients over the Model Context Protocol
 ${facts.description}.
`;
}

function md5(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("md5").update(bytes).digest("hex");
}

function ar(members: readonly (readonly [name: string, bytes: Uint8Array])[]): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from("!<arch>\n")];
  for (const [name, bytes] of members) {
    const fields: readonly (readonly [string | number, number])[] = [
      [name, 16],
      [fixedTime, 12],
      [0, 6],
      [0, 6],
      ["100644", 8],
      [bytes.length, 10],
    ];
    const head = fields.map(([value, width]) => String(value).padEnd(width)).join("");
    parts.push(Buffer.from(`${head}\`\n`), bytes);
    if (bytes.length % 2 === 1) parts.push(Buffer.from("\n"));
  }
  return Buffer.concat(parts);
}
