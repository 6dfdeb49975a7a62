import { accessSync, chmodSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";

import { messageOf } from "../../base/errors.ts";
import { isInside } from "../../base/paths.ts";
import { product } from "../../base/product.ts";
import { channelOf } from "../../update/channel.ts";
import type { CommandContext } from "../command.ts";
import { type Finding, fault, note, ok } from "./finding.ts";

const everybodyWrites = 0o002;

/** The executable: its place, its mode, other copies of it on PATH. */
export function programFindings({ io, services }: CommandContext): readonly Finding[] {
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

/** Another copy that a shell would start. */
function copyFindings(real: string, path: string): readonly Finding[] {
  const name = basename(real);
  const found = path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => realPath(join(folder, product.name)) ?? realPath(join(folder, name)))
    .filter((copy) => copy !== undefined && copy !== real);
  const [copy] = new Set(found);
  return copy === undefined
    ? []
    : [
        note(
          "program",
          `PATH has another copy first: ${copy}`,
          `remove one of them, or run ${real} by its path`,
        ),
      ];
}

/** The folders of the user and of the program's own files. */
export function folderFindings(homeDir: string, scorpioxDir: string): readonly Finding[] {
  if (homeDir === "" || !existsSync(homeDir)) {
    return [
      fault(
        "configuration",
        `the home folder ${homeDir || "(HOME is not set)"} does not exist`,
        "set HOME to your home folder",
      ),
    ];
  }
  if (!existsSync(scorpioxDir))
    return [ok("configuration", `${scorpioxDir} does not exist yet: the defaults are used`)];
  if (!statSync(scorpioxDir).isDirectory()) {
    return [
      fault(
        "configuration",
        `${scorpioxDir} is not a folder`,
        `move it away: mv ${scorpioxDir} ${scorpioxDir}.old`,
      ),
    ];
  }
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
  try {
    accessSync(scorpioxDir, constants.W_OK);
    return open ? tooOpen : [ok("configuration", `nobody else can write to ${scorpioxDir}`)];
  } catch (error) {
    return [
      ...tooOpen,
      fault(
        "configuration",
        `${scorpioxDir} cannot be written (${messageOf(error)})`,
        `chown -R "$(id -u)" ${scorpioxDir}`,
      ),
    ];
  }
}
