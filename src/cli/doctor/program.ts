import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  realpathSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";

import { messageOf, systemCodeOf } from "../../base/errors.ts";
import { isInside } from "../../base/paths.ts";
import { product } from "../../base/product.ts";
import { channelOf } from "../../update/channel.ts";
import type { RunProgram } from "../../install/client-command.ts";
import type { CommandContext } from "../command.ts";
import { type Finding, fault, note, ok, ownRemedy } from "./finding.ts";

const everybodyWrites = 0o002;

/** The executable: its place, its mode, other copies of it on PATH. */
export async function programFindings({
  io,
  services,
}: CommandContext): Promise<readonly Finding[]> {
  const [program = "", ...others] = services.ownCommand;
  if (others.length > 0)
    return [
      note("program", `version ${services.version} runs from its sources (${others[0] ?? ""})`),
    ];
  const real = realPath(program);
  if (real === undefined) {
    return [
      fault(
        "program",
        `${program} is gone: it was moved or deleted while it runs`,
        "install it again (docs/install.md)",
      ),
    ];
  }
  const channel = channelOf(real);
  const by = channel.kind === "own" ? "" : `, installed by ${channel.by}`;
  return [
    ok("program", `version ${services.version} at ${real}${by}`),
    ...placeFindings(real, io.env),
    ...modeFindings(real),
    ...clockFindings(real),
    ...(process.platform === "darwin" ? await quarantineFindings(real, services.runProgram) : []),
    ...copyFindings(real, io.env.PATH ?? ""),
  ];
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** A client that starts it tomorrow finds nothing in a folder that the system empties. */
function placeFindings(real: string, env: CommandContext["io"]["env"]): readonly Finding[] {
  const temporary = [tmpdir(), env.TMPDIR, "/tmp", "/var/tmp"].filter(
    (dir) => dir !== undefined && dir !== "",
  );
  const isTemporary = temporary.some((dir) => isInside(real, realPath(dir ?? "") ?? "/nowhere"));
  if (!isTemporary) return [];
  const remedy = "install it into your home: sh scripts/install.sh, then run install again";
  return [
    fault(
      "program",
      `${real} is in a folder for temporary files, which the system empties`,
      remedy,
    ),
  ];
}

function modeFindings(real: string): readonly Finding[] {
  if (process.platform === "win32") return [];
  return [real, dirname(real)].flatMap((path) => {
    const { mode } = statSync(path);
    // A folder such as /tmp lets only owners replace what is in it.
    const isSticky = (mode & 0o1000) !== 0;
    if ((mode & everybodyWrites) === 0 || isSticky) return [];
    const text = `everybody may write to ${path}, and so replace the program that your clients start`;
    return [fault("program", text, `chmod o-w ${path}`, () => chmodSync(path, mode & 0o7775))];
  });
}

const dayMs = 24 * 60 * 60 * 1000;

/** Logins, certificates and signatures are refused where the clock is far off. */
function clockFindings(real: string): readonly Finding[] {
  const { mtimeMs } = statSync(real);
  if (mtimeMs <= Date.now() + dayMs) return [];
  const [now, made] = [Date.now(), mtimeMs].map((ms) => new Date(ms).toISOString().slice(0, 10));
  const text = `the clock says ${now ?? ""}, but ${real} is of ${made ?? ""}`;
  return [fault("program", text, "set the clock, or touch the file when the clock is right")];
}

/** macOS ends what was downloaded by a browser, unless the user has allowed it; a client sees only that it does not start. */
export async function quarantineFindings(
  real: string,
  run: RunProgram,
): Promise<readonly Finding[]> {
  const words = ["/usr/bin/xattr", "-p", "com.apple.quarantine", real];
  const end = await run(words).catch(() => undefined);
  if (end === undefined || end.exitCode !== 0) return [];
  return [
    fault(
      "program",
      `macOS holds ${real} in quarantine, since it was downloaded: clients may not start it`,
      `xattr -d com.apple.quarantine ${real}`,
    ),
  ];
}

/** Another copy that a shell would start, or that would be in its place if this one went. */
function copyFindings(real: string, path: string): readonly Finding[] {
  const name = basename(real);
  const found = path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => realPath(join(folder, product.name)) ?? realPath(join(folder, name)))
    .filter((copy) => copy !== undefined);
  const copy = found.find((one) => one !== real);
  if (copy === undefined) return [];
  const isFirst = found[0] !== real;
  const text = isFirst
    ? `your shell starts another copy: ${copy}`
    : `there is another copy on PATH: ${copy}`;
  const remedy = isFirst
    ? `remove one of them, or run ${real} by its path`
    : "remove it, if no client starts it";
  return [note("program", text, remedy)];
}

interface FolderLooks {
  /** The reason why a folder cannot be written. */
  readonly problemOf?: (folder: string) => unknown;
  readonly uid?: number | undefined;
}

/**
 * The folders of the user and of the program's own files.
 */
export function folderFindings(
  homeDir: string,
  scorpioxDir: string,
  { problemOf = writeProblem, uid = process.getuid?.() }: FolderLooks = {},
): readonly Finding[] {
  if (homeDir === "" || !existsSync(homeDir)) {
    return [
      fault(
        "configuration",
        `the home folder ${homeDir || "(HOME is not set)"} does not exist`,
        "set HOME to your home folder",
      ),
    ];
  }
  if (!existsSync(scorpioxDir)) {
    const there = dirname(scorpioxDir);
    const problem = existsSync(there) ? problemOf(there) : undefined;
    return problem === undefined
      ? [ok("configuration", `${scorpioxDir} does not exist yet: the defaults are used`)]
      : [unwritable(there, `so that ${scorpioxDir} cannot be made`, problem)];
  }
  if (!statSync(scorpioxDir).isDirectory()) {
    return [
      fault(
        "configuration",
        `${scorpioxDir} is not a folder`,
        `move it away: mv ${scorpioxDir} ${scorpioxDir}.old`,
      ),
    ];
  }
  return ownFolderFindings(scorpioxDir, problemOf(scorpioxDir), uid);
}

function ownFolderFindings(
  scorpioxDir: string,
  problem: unknown,
  uid: number | undefined,
): readonly Finding[] {
  const { mode } = statSync(scorpioxDir);
  const open = (mode & 0o022) !== 0 && process.platform !== "win32";
  const tooOpen = open
    ? [
        fault(
          "configuration",
          `others may write to ${scorpioxDir}, which holds your approvals`,
          `chmod go-w ${scorpioxDir}`,
          () => chmodSync(scorpioxDir, mode & 0o7755),
        ),
      ]
    : [];
  if (problem !== undefined) return [...tooOpen, unwritable(scorpioxDir, undefined, problem)];
  const foreign = foreignFiles(scorpioxDir, uid);
  if (foreign.length > 0) {
    const text = `other users own ${foreign.join(", ")} in ${scorpioxDir}, perhaps since a command ran under sudo`;
    return [...tooOpen, fault("configuration", text, ownRemedy(scorpioxDir))];
  }
  return open ? tooOpen : [ok("configuration", `nobody else can write to ${scorpioxDir}`)];
}

/** Entries of the folder that belong to somebody else. For root all files are its own. */
function foreignFiles(folder: string, uid: number | undefined): readonly string[] {
  if (uid === undefined || uid === 0) return [];
  return readdirSync(folder).filter(
    (name) => (lstatSync(join(folder, name), { throwIfNoEntry: false })?.uid ?? uid) !== uid,
  );
}

function writeProblem(folder: string): unknown {
  try {
    accessSync(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The remedy depends on the cause: another owner, usually after `sudo`, or a read-only file system. */
function unwritable(folder: string, effect: string | undefined, problem: unknown): Finding {
  const text = [`${folder} cannot be written (${messageOf(problem)})`, effect]
    .filter((part) => part !== undefined)
    .join(", ");
  const remedy =
    systemCodeOf(problem) === "EROFS"
      ? "set SCORPIOX_HOME to a folder that can be written"
      : ownRemedy(folder);
  return fault("configuration", text, remedy);
}
