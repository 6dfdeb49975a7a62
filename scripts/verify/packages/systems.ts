/** Packages of operating systems, installed into a small Debian that `debootstrap` makes once. */
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { basename, join } from "node:path";

import { debianCpu } from "../../build/distribution/ways.ts";
import { folder, notRun, type Rehearsal, type Row, run } from "./rehearsal.ts";

/** Debian's package with each program that is needed. */
const sources = {
  bwrap: "bubblewrap",
  debootstrap: "debootstrap",
  rpm: "rpm",
  buildah: "buildah",
} as const;

export function missing(programs: readonly (keyof typeof sources)[]): string | undefined {
  const program = programs.find((name) => Bun.which(name) === null);
  if (process.getuid?.() !== 0) return "it needs root";
  return program === undefined
    ? undefined
    : `${program} is missing (Debian's package ${sources[program]})`;
}

/** A copy of the Debian of its own; or why there is none. */
export function freshRoot(name: string): { readonly path: string } | { readonly reason: string } {
  const base = join(folder, "debian");
  if (!existsSync(join(base, "etc/debian_version")) || existsSync(join(base, "debootstrap"))) {
    rmSync(base, { recursive: true, force: true });
    const made = run(["debootstrap", "--variant=minbase", "bookworm", base]);
    if (!made.isDone) return { reason: `debootstrap failed: ${made.text}` };
  }
  const path = join(folder, name);
  rmSync(path, { recursive: true, force: true });
  const copied = run(["cp", "-a", base, path]);
  return copied.isDone ? { path } : { reason: copied.text };
}

/** Runs a command in such a root, without a network. */
function inside(path: string, command: readonly string[]): ReturnType<typeof run> {
  const mounts = ["--bind", path, "/", "--proc", "/proc", "--dev", "/dev", "--unshare-net"];
  const search = ["--setenv", "PATH", "/usr/sbin:/usr/bin:/sbin:/bin", "--setenv", "HOME", "/root"];
  return run(["bwrap", ...mounts, ...search, ...command]);
}

export function debRehearsal({ has, version }: Rehearsal): Row {
  const file = has("deb");
  const reason = file === undefined ? "it was not made" : missing(["bwrap", "debootstrap"]);
  if (file === undefined || reason !== undefined) return notRun("deb", reason ?? "");
  const made = freshRoot("deb");
  if ("reason" in made) return notRun("deb", made.reason);
  copyFileSync(file, join(made.path, "tmp", basename(file)));
  for (const command of [
    ["dpkg", "-i", `/tmp/${basename(file)}`],
    ["dpkg", "-V", "scorpiox-code"],
  ]) {
    const done = inside(made.path, command);
    if (!done.isDone) return ["deb", "FAIL", `${command.join(" ")}: ${done.text}`];
  }
  const row = leftToManager(made.path, "deb", version);
  const removed = inside(made.path, ["dpkg", "-P", "scorpiox-code"]);
  return removed.isDone ? row : ["deb", "FAIL", removed.text];
}

/** The installed program runs, and `update` leaves it to the package manager. */
function leftToManager(path: string, name: string, version: string): Row {
  const ran = inside(path, ["scorpiox-code", "version"]).row(name, version);
  const { isDone, text } = inside(path, ["scorpiox-code", "update"]);
  const isLeft = !isDone && text.endsWith("Update it there: install the newer .deb or .rpm");
  if (ran[1] === "pass" && !isLeft) return [name, "FAIL", `update: ${text}`];
  return [ran[0], ran[1], `${ran[2]}, update leaves it to the package manager`];
}

export function rpmRehearsal({ has, version }: Rehearsal): Row {
  const file = has("rpm");
  const reason = file === undefined ? "it was not made" : missing(["rpm", "bwrap", "debootstrap"]);
  if (file === undefined || reason !== undefined) return notRun("rpm", reason ?? "");
  const made = freshRoot("rpm");
  if ("reason" in made) return notRun("rpm", made.reason);
  // That system has no packages of rpm which could provide glibc.
  const installed = run(["rpm", "--root", made.path, "-i", "--nodeps", file]);
  if (!installed.isDone) return ["rpm", "FAIL", installed.text];
  const row = leftToManager(made.path, "rpm", version);
  const removed = run(["rpm", "--root", made.path, "-e", "scorpiox-code"]);
  const isGone = removed.isDone && !existsSync(join(made.path, "usr/bin/scorpiox-code"));
  return isGone ? row : ["rpm", "FAIL", `it cannot be removed: ${removed.text}`];
}

/** Builds the image of the `Containerfile` on that Debian, and runs it. */
export function imageRehearsal({ outdir, target, has, version }: Rehearsal): Row {
  const name = "image";
  const reason =
    has("deb") === undefined
      ? "there is an image for glibc only"
      : missing(["buildah", "bwrap", "debootstrap"]);
  if (reason !== undefined) return notRun(name, reason);
  const made = freshRoot("image-base");
  if ("reason" in made) return notRun(name, made.reason);
  const place = join(folder, "images");
  rmSync(place, { recursive: true, force: true });
  const store = ["--root", join(place, "root"), "--runroot", join(place, "run")];
  const buildah = (...words: readonly string[]): ReturnType<typeof run> =>
    run(["buildah", ...store, "--storage-driver", "vfs", ...words]);
  const base = buildah("from", "scratch");
  if (!base.isDone) return notRun(name, base.text);
  const steps = [
    ["add", "--quiet", base.text, made.path, "/"],
    ["commit", "--quiet", base.text, "localhost/base"],
    [
      "bud",
      "--isolation=chroot",
      "--build-arg=BASE=localhost/base",
      `--build-arg=TARGETARCH=${debianCpu(target)}`,
      "--tag=localhost/scorpiox-code",
      `--file=${join(outdir, "Containerfile")}`,
      outdir,
    ],
  ];
  for (const step of steps) {
    const done = buildah(...step);
    if (!done.isDone) return [name, "FAIL", `buildah ${step[0]}: ${done.text}`];
  }
  const container = buildah("from", "localhost/scorpiox-code").text;
  const words = ["/opt/scorpiox-code/scorpiox-code", "version"];
  const row = buildah("run", "--isolation=chroot", container, "--", ...words).row(name, version);
  // What buildah adds to the end of a command that fails would hide what it says.
  const update = ["sh", "-c", `${words[0]} update 2>&1; true`];
  const left = buildah("run", "--isolation=chroot", container, "--", ...update);
  rmSync(place, { recursive: true, force: true });
  if (row[1] !== "pass" || left.text.includes("pull the newer image")) return row;
  return [name, "FAIL", `update: ${left.text}`];
}
