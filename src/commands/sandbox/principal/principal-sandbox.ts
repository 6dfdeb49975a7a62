import { lstat, mkdir, realpath, writeFile } from "node:fs/promises";
import { release as kernelRelease } from "node:os";
import { join } from "node:path";

import { principalProcessesMax } from "../../../base/limits.ts";
import type { Environment } from "../../../base/values.ts";
import type { Confinement } from "../../background/command-launcher.ts";
import type { Hidden } from "../backend-arguments.ts";
import type { BackendParts } from "../backends.ts";
import { makeTemporaryFolder, removePrivateFolder } from "../sandbox-folders.ts";
import { seccompFilter } from "../seccomp-filter.ts";
import { isSeen, lookAtSystem, type SystemView } from "./system-view.ts";
import { type PrincipalFolders, shmFolder, viewArguments, viewedTmp } from "./view-arguments.ts";

export interface PrincipalSandboxParts extends Pick<
  BackendParts,
  "platform" | "findProgram" | "shellPath" | "tmpDir" | "isRoot" | "run"
> {
  /** The server's own environment, of which commands get what says nothing of its user. */
  readonly env: Environment;
  /** Home and folder of this program, which must not be seen. */
  readonly own: readonly string[];
  readonly shared: readonly string[];
  /** Files and folders that must not be seen, wherever they are. */
  readonly secrets: readonly string[];
  readonly hasNetwork: boolean;
}

/** One command of a principal. */
export interface PrincipalCommand {
  readonly principal: PrincipalFolders;
  readonly cwd: string;
  /** Plan mode, or a sandbox that the operator has made read-only. */
  readonly readOnly?: { readonly planFile: string | undefined };
}

/** A program of util-linux that sets limits and becomes the command. */
const prlimit = "/usr/bin/prlimit";
/** Since Linux 5.14 processes are counted for each user namespace. */
const countsPerNamespace = [5, 14] as const;

/** Runs commands of several people so that none sees what another has, nor what the server keeps. Linux with bubblewrap. */
export class PrincipalSandbox {
  readonly #parts: PrincipalSandboxParts;
  #system: SystemView | undefined;

  constructor(parts: PrincipalSandboxParts) {
    this.#parts = parts;
  }

  /** Why commands of several people cannot be kept apart here, after really trying; undefined when they can. */
  async problem(): Promise<string | undefined> {
    const { platform, findProgram, own, tmpDir } = this.#parts;
    if (platform !== "linux") return "bubblewrap exists for Linux only";
    if (findProgram("bwrap") === undefined) return "bwrap is not on PATH; install bubblewrap";
    for (const folder of own) {
      const real = await realpath(folder).catch(() => folder);
      if (isSeen(this.#view, real))
        return `${folder} is in a folder of programs, which all commands see`;
    }
    const folder = await makeTemporaryFolder(tmpDir);
    try {
      return await this.#try(folder);
    } catch (error) {
      return `bubblewrap could not be started: ${error instanceof Error ? error.message : String(error)}`;
    } finally {
      await removePrivateFolder(folder);
    }
  }

  /** @throws AppError `system` when there is no room for temporary files */
  async confine({ principal, cwd, readOnly }: PrincipalCommand): Promise<Confinement> {
    const { hasNetwork } = this.#parts;
    const tmpDir = await makeTemporaryFolder(this.#parts.tmpDir);
    await mkdir(join(tmpDir, shmFolder), 0o700);
    const planFile = await realFileOf(readOnly?.planFile);
    const command = this.#command(
      { principal, cwd, ...(readOnly && { readOnly: { planFile } }) },
      tmpDir,
      await this.#hidden(),
    );
    return {
      wrap: (argv) => [...command, ...argv],
      env: this.#environment(principal.home),
      isWholeEnvironment: true,
      // A folder of the principal's may be a link by now; in the view it leads nowhere.
      startIn: "/",
      scripts: { folder: tmpDir, seenAs: viewedTmp },
      data: seccompFilter("own"),
      isOverseen: true,
      notes: [noteOf(readOnly, hasNetwork)],
      release: () => removePrivateFolder(tmpDir),
    };
  }

  get #view(): SystemView {
    return (this.#system ??= lookAtSystem());
  }

  #command(command: PrincipalCommand, tmpDir: string, hidden: Hidden): string[] {
    const { findProgram, shared, hasNetwork, isRoot } = this.#parts;
    const view = { ...command, system: this.#view, shared, hidden, tmpDir, hasNetwork, isRoot };
    return [findProgram("bwrap") ?? "bwrap", ...viewArguments(view), ...this.#limits()];
  }

  /** Within the sandbox, where a count of its own begins. */
  #limits(): string[] {
    const { isRoot } = this.#parts;
    const isCounted = !isRoot && isAtLeast(kernelRelease(), countsPerNamespace);
    return isCounted ? [prlimit, `--nproc=${principalProcessesMax}`, "--"] : [];
  }

  /** Secrets that would be seen, as they are now. */
  async #hidden(): Promise<Hidden> {
    const folders: string[] = [];
    const files: string[] = [];
    for (const secret of this.#parts.secrets) {
      const path = await realpath(secret).catch(() => undefined);
      if (path === undefined || !isSeen(this.#view, path)) continue;
      const isFolder = (await lstat(path)).isDirectory();
      (isFolder ? folders : files).push(path);
    }
    return { folders, files };
  }

  #environment(home: string): Readonly<Record<string, string>> {
    const { env, shellPath } = this.#parts;
    const kept = Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && plainVariables.test(entry[0]),
    );
    return {
      ...Object.fromEntries(kept),
      PATH: this.#path(),
      HOME: home,
      SHELL: shellPath,
      TMPDIR: viewedTmp,
    };
  }

  /** Folders of programs that are seen; others may be anybody's. */
  #path(): string {
    const folders = (this.#parts.env["PATH"] ?? "").split(":");
    const seen = folders.filter((folder) => folder.startsWith("/") && isSeen(this.#view, folder));
    return [...new Set([...seen, ...systemPath])].join(":");
  }

  async #try(folder: string): Promise<string | undefined> {
    const { run, shellPath } = this.#parts;
    const inFolder = (name: string): string => join(folder, name);
    const principal = { work: inFolder("work"), home: inFolder("home"), plans: inFolder("plans") };
    const tmpDir = inFolder("tmp");
    const folders = [...Object.values(principal), tmpDir, join(tmpDir, shmFolder)];
    for (const path of folders) await mkdir(path, { mode: 0o700 });
    await writeFile(inFolder("outside"), "");
    const command = this.#command({ principal, cwd: principal.work }, tmpDir, await this.#hidden());
    const script = [shellPath, "-c", trial, "sh", inFolder("outside")];
    const start = { command: [...command, ...script], data: seccompFilter("own") };
    const { exitCode, output } = await run(start, "/");
    if (exitCode === 0) return undefined;
    const said = output.trim().split("\n").at(-1)?.slice(0, sayingCharsMax);
    return `bubblewrap failed: ${said || `exit code ${exitCode}`}`;
  }
}

/** The most that is kept of a failed trial's output. */
const sayingCharsMax = 200;
const systemPath = ["/usr/local/bin", "/usr/bin", "/bin"];
/** Variables of language, time and terminal; nothing that may be a secret or lead to one. */
const plainVariables = /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM)$/;

/** Works, sees processes of its own alone, and not the file beside its folders. */
const trial = `: > written || { echo "the workspace cannot be written"; exit 1; }
[ "$$" -lt 100 ] || { echo "other processes can be seen"; exit 1; }
[ ! -e "$1" ] || { echo "other files can be seen"; exit 1; }`;

function noteOf(readOnly: PrincipalCommand["readOnly"], hasNetwork: boolean): string {
  const network = hasNetwork ? "" : " No network.";
  if (readOnly === undefined) {
    return `Ran in your own sandbox (bubblewrap): only the workspace, $HOME and $TMPDIR could be written.${network}`;
  }
  const what = readOnly.planFile === undefined ? "$TMPDIR" : "the plan file (in place) and $TMPDIR";
  return `Ran read-only in your own sandbox (bubblewrap): only ${what} could be written.${network}`;
}

/** Undefined for a plan that is gone, is not a file, or has a second name. */
async function realFileOf(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() === true && stats.nlink === 1 ? path : undefined;
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [, ownMajor, ownMinor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  const [one, two] = [Number(ownMajor), Number(ownMinor)];
  return one > major || (one === major && two >= minor);
}
