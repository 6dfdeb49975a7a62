import type { Target } from "../targets.ts";

/** The facts of a release that its packages name. */
export interface ReleaseFacts {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  /** Where releases come from, as `owner/name`. */
  readonly repository: string;
}

export type WayName = "tar.gz" | "tar.zst" | "zip" | "npm" | "deb" | "rpm" | "mcpb";

/** A kind of file that a release has for some of its targets. */
interface Way {
  has(this: void, target: Target): boolean;
  /** Its file below the folder of the release. */
  file(this: void, target: Target, version: string): string;
}

const isWindows = ({ os }: Target): boolean => os === "windows";
const isGlibcLinux = ({ os, libc }: Target): boolean => os === "linux" && libc === "glibc";
const debianCpus = { x64: "amd64", arm64: "arm64" } as const;
const rpmCpus = { x64: "x86_64", arm64: "aarch64" } as const;

export const debianCpu = ({ cpu }: Target): string => debianCpus[cpu];
export const rpmCpu = ({ cpu }: Target): string => rpmCpus[cpu];

/** Every way that is a file for each target, and the only place that says which targets have it. */
export const ways: Readonly<Record<WayName, Way>> = {
  "tar.gz": {
    has: (target) => !isWindows(target),
    file: ({ name }) => `scorpiox-code-${name}.tar.gz`,
  },
  "tar.zst": {
    has: (target) => !isWindows(target),
    file: ({ name }) => `scorpiox-code-${name}.tar.zst`,
  },
  zip: { has: isWindows, file: ({ name }) => `scorpiox-code-${name}.zip` },
  npm: {
    has: () => true,
    file: ({ name }, version) => `npm/scorpiox-code-${name}-${version}.tgz`,
  },
  deb: {
    has: isGlibcLinux,
    file: (target, version) => `scorpiox-code_${version}_${debianCpus[target.cpu]}.deb`,
  },
  rpm: {
    has: isGlibcLinux,
    file: (target, version) => `scorpiox-code-${version}-1.${rpmCpus[target.cpu]}.rpm`,
  },
  // Claude Desktop has no build for musl.
  mcpb: { has: ({ libc }) => libc !== "musl", file: ({ name }) => `scorpiox-code-${name}.mcpb` },
};

/** The targets that the image is made for, by the name that image builders have for their processor. */
export const isInImage = isGlibcLinux;

/** A version for dpkg and rpm: `1.0.0~beta.1` comes before `1.0.0`. No file has it in its name: GitHub renames such files. */
export function systemVersion(version: string): string {
  return version.replace("-", "~");
}

/** The page of the project. */
export function homepageOf({ repository }: ReleaseFacts): string {
  return `https://github.com/${repository}`;
}

/** Where a file of the release can be downloaded. */
export function downloadUrl(facts: ReleaseFacts, file: string): string {
  return `${homepageOf(facts)}/releases/download/v${facts.version}/${file}`;
}
