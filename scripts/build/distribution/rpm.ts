import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import type { Target } from "../targets.ts";
import type { Companions } from "./companions.ts";
import { fixedTime, gzipText, type Program } from "./program.ts";
import { homepageOf, type ReleaseFacts, rpmCpu, systemVersion, ways } from "./ways.ts";

/** Why this machine cannot make an `.rpm`; undefined where it can. */
export function whyNoRpm(): string | undefined {
  return Bun.which("rpmbuild") === null
    ? "rpmbuild is not on this machine (Debian's package rpm has it)"
    : undefined;
}

/**
 * Writes an `.rpm` below `outdir`.
 * @throws Error with the words of rpmbuild
 */
export function writeRpm(
  outdir: string,
  facts: ReleaseFacts,
  target: Target,
  program: Program,
  companions: Companions,
): void {
  const folder = mkdtempSync(join(tmpdir(), "scorpiox-rpm-"));
  try {
    const sources = join(folder, "sources");
    mkdirSync(sources);
    writeFileSync(join(sources, "scorpiox-code"), program.bytes, { mode: 0o755 });
    writeFileSync(join(sources, "scorpiox-code.1.gz"), gzipText(companions.manPage));
    writeFileSync(join(sources, "LICENSE"), companions.license);
    writeFileSync(join(sources, "README.md"), companions.readme);
    writeFileSync(join(sources, "scorpiox-code.bash"), companions.completions.bash);
    writeFileSync(join(sources, "_scorpiox-code"), companions.completions.zsh);
    writeFileSync(join(sources, "scorpiox-code.fish"), companions.completions.fish);
    for (const [place, text] of companions.service)
      writeFileSync(join(sources, basename(place)), text);
    writeFileSync(join(folder, "scorpiox-code.spec"), specFile(facts, companions.service));
    build(folder, rpmCpu(target));
    const made = readdirSync(join(folder, "rpms")).find((file) => file.endsWith(".rpm"));
    if (made === undefined) throw new Error("rpmbuild wrote no package");
    copyFileSync(join(folder, "rpms", made), join(outdir, ways.rpm.file(target, facts.version)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function build(folder: string, cpu: string): void {
  const settings = {
    _topdir: folder,
    _sourcedir: join(folder, "sources"),
    _rpmdir: join(folder, "rpms"),
    _build_name_fmt: "%%{NAME}.rpm",
    // The same bytes on every machine, at every time.
    _buildhost: "localhost",
    use_source_date_epoch_as_buildtime: "1",
    clamp_mtime_to_source_date_epoch: "1",
    // The program is packed once, as small as it gets; rpm 4.14 (2017) unpacks it.
    _binary_payload: "w19.zstdio",
    // It is finished: nothing is to strip it, or to look into it.
    __os_install_post: "%{nil}",
    debug_package: "%{nil}",
    _build_id_links: "none",
  };
  const defines = Object.entries(settings).flatMap(([key, value]) => [
    "--define",
    `${key} ${value}`,
  ]);
  const child = Bun.spawnSync(
    [
      "rpmbuild",
      "-bb",
      "--quiet",
      `--target=${cpu}-linux`,
      ...defines,
      join(folder, "scorpiox-code.spec"),
    ],
    { env: { ...process.env, SOURCE_DATE_EPOCH: String(fixedTime), LC_ALL: "C" }, stdin: "ignore" },
  );
  if (child.exitCode !== 0) throw new Error(`rpmbuild failed:\n${child.stderr.toString().trim()}`);
}

type PackagedFile = readonly [mode: string, source: string, place: string, kind?: string];

/** The files of the package, and where each comes from. */
const files: readonly PackagedFile[] = [
  ["0755", "scorpiox-code", "/usr/bin/scorpiox-code"],
  ["0644", "scorpiox-code.1.gz", "/usr/share/man/man1/scorpiox-code.1.gz", "%doc"],
  ["0644", "LICENSE", "/usr/share/licenses/scorpiox-code/LICENSE", "%license"],
  ["0644", "README.md", "/usr/share/doc/scorpiox-code/README.md", "%doc"],
  ["0644", "scorpiox-code.bash", "/usr/share/bash-completion/completions/scorpiox-code"],
  ["0644", "_scorpiox-code", "/usr/share/zsh/site-functions/_scorpiox-code"],
  ["0644", "scorpiox-code.fish", "/usr/share/fish/vendor_completions.d/scorpiox-code.fish"],
];

function serviceFile(place: string): PackagedFile {
  const kind = place.startsWith("usr/share/doc/") ? "%doc" : "";
  return ["0644", basename(place), `/${place}`, kind];
}

/** Exported for its test. */
export function specFile(facts: ReleaseFacts, service: Companions["service"]): string {
  const all = [...files, ...service.map(([place]) => serviceFile(place))];
  const installs = all.map(
    ([mode, source, place]) => `install -Dpm ${mode} %{_sourcedir}/${source} %{buildroot}${place}`,
  );
  const owned = all.map(([mode, , place, kind]) =>
    [`%attr(${mode}, root, root)`, kind, place].filter(Boolean).join(" "),
  );
  return `Name: scorpiox-code
Version: ${systemVersion(facts.version)}
Release: 1
Summary: Working tools for AI clients over the Model Context Protocol
License: ${facts.license}
URL: ${homepageOf(facts)}
AutoReqProv: no
Requires: glibc >= 2.17

%description
${facts.description}.

%install
${installs.join("\n")}

%files
${owned.join("\n")}
`;
}
