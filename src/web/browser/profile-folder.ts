import { mkdirSync, mkdtempSync, readdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

/** A browser that is ending may write for some moments more: removing is tried again. */
const removeRetries = 5;
const removeRetryMs = 100;
/** A profile of another host in a shared home is left alone until it is older than any browser gets. */
const foreignAgeMsMax = 24 * 60 * 60 * 1000;

const namePattern = /^profile-(\d+)-([0-9a-z]+)-([0-9a-z]+)-/i;

/** The owner of a profile: the process, its instance, and the machine. */
export interface ProfileOwner {
  readonly pid: number;
  readonly instanceId: string;
}

/**
 * Makes a private, empty profile in `parent`.
 * @throws the system's error when the folder cannot be created
 */
export function createProfile(parent: string, owner: ProfileOwner): string {
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  return mkdtempSync(join(parent, `${prefixOf(owner)}-`));
}

/** Removes a profile; the next start sweeps files that cannot be removed now. */
export async function removeProfile(path: string): Promise<void> {
  await rm(path, {
    recursive: true,
    force: true,
    maxRetries: removeRetries,
    retryDelay: removeRetryMs,
  }).catch(() => undefined);
}

/** Removes profiles in `parent` whose process is gone. */
export async function sweepProfiles(parent: string, owner: ProfileOwner): Promise<void> {
  await Promise.all(leftovers(parent, owner).map((name) => removeProfile(join(parent, name))));
}

function leftovers(parent: string, owner: ProfileOwner): string[] {
  try {
    return readdirSync(parent).filter((name) => isLeftover(parent, name, owner));
  } catch {
    return [];
  }
}

function isLeftover(parent: string, name: string, owner: ProfileOwner): boolean {
  const [, pid, instance, host] = namePattern.exec(name) ?? [];
  if (pid === undefined) return false;
  if (host !== hostTag()) return isOlderThan(join(parent, name), foreignAgeMsMax);
  // The same number again with another instance: a process of an earlier container, or of an earlier boot.
  if (Number(pid) === owner.pid) return instance !== instanceTag(owner);
  return !isProcessAlive(Number(pid));
}

function prefixOf(owner: ProfileOwner): string {
  return `profile-${owner.pid}-${instanceTag(owner)}-${hostTag()}`;
}

function instanceTag({ instanceId }: ProfileOwner): string {
  return Bun.hash(instanceId).toString(36);
}

function hostTag(): string {
  return Bun.hash(hostname()).toString(36);
}

function isOlderThan(path: string, ageMs: number): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > ageMs;
  } catch {
    return false;
  }
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
