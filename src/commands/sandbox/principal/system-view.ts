import { lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";

import { isInside } from "../../../base/paths.ts";

/** The part of the machine that the commands of every principal see: programs and their settings, which hold nobody's data. */
export interface SystemView {
  /** Arguments of `bwrap`. */
  readonly mounts: readonly string[];
  /** Folders of which everything is seen, as real paths. */
  readonly folders: readonly string[];
}

/** Programs. Where `/bin` is a link into `/usr`, it is one in the view too. */
const programFolders = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/** Program folders of systems that keep programs elsewhere. */
const storeFolders = ["/nix/store", "/gnu/store", "/run/current-system/sw"];
/** Settings of the operator's programs, which may hold passwords. */
const closedFolders = ["/usr/local/etc", "/usr/etc"];

/**
 * The part of `/etc` that programs need. It is a list, because the rest is for the owners of services: keys, passwords,
 * the rules of this program.
 */
const settings: readonly string[] = `
  passwd group nsswitch.conf hosts host.conf resolv.conf gai.conf protocols services networks rpc
  localtime timezone locale.conf ld.so.cache ld.so.conf ld.so.conf.d alternatives os-release lsb-release
  debian_version bash.bashrc inputrc terminfo mime.types magic fonts
  ssl/certs ssl/cert.pem ssl/openssl.cnf ca-certificates/extracted
  pki/tls/certs pki/tls/cert.pem pki/tls/openssl.cnf pki/ca-trust/extracted`
  .trim()
  .split(/\s+/);
/** Folders whose names have a version. */
const versioned = /^(?:java-\d|python3|perl$|ImageMagick-\d|crypto-policies$)/;

/** Looks at this machine; a tenth of a millisecond. */
export function lookAtSystem(): SystemView {
  const mounts: string[] = [];
  const folders: string[] = [];
  for (const path of programFolders) {
    const link = linkOf(path);
    if (link !== undefined) mounts.push("--symlink", link, path);
    else if (isThere(path)) show(path);
  }
  for (const path of storeFolders) if (isThere(path)) show(path);
  for (const path of closedFolders)
    if (isThere(path)) mounts.push("--tmpfs", path, "--remount-ro", path);
  for (const name of settingsOf("/etc"))
    mounts.push("--ro-bind-try", `/etc/${name}`, `/etc/${name}`);
  return { mounts, folders };

  function show(path: string): void {
    mounts.push("--ro-bind", path, path);
    folders.push(realpathSync(path));
  }
}

/** Whether commands would see `path`, a real path. */
export function isSeen({ folders }: SystemView, path: string): boolean {
  return folders.some((folder) => isInside(path, folder));
}

function settingsOf(folder: string): readonly string[] {
  const there = settings.filter((name) => isThere(join(folder, name)));
  return [...there, ...readdirSync(folder).filter((name) => versioned.test(name))];
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function linkOf(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
}
