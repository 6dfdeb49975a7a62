import { realpathSync } from "node:fs";
import { join } from "node:path";

import { AppError } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { hideInUrl } from "../../base/secrets.ts";
import { withFileLock } from "../../config/file-lock.ts";
import { channelOf, platformFile, releaseFolder, runsOnMusl } from "../../update/channel.ts";
import {
  readProgram,
  readRelease,
  type Release,
  type ReleasedProgram,
} from "../../update/release.ts";
import { releaseKey } from "../release-key.macro.ts" with { type: "macro" };
import {
  type AskVersion,
  replaceProgram,
  rollBack,
  settleKilledUpdate,
} from "../../update/replace-program.ts";
import { exitCodes } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { jsonFlag } from "../flags.ts";
import { withProgress } from "../progress.ts";
import { readStartUp } from "../start-up.ts";

export const updateCommand: Command = {
  usage: "[--check|--rollback] [--allow-unsigned] [--json]",
  description:
    "Replaces this program by the latest release, after its signature and checksum were checked, and keeps the version from\n" +
    "before. Servers that run go on as they are. A copy of a package manager is left to it. Nothing else ever looks for\n" +
    "updates. --check exits with 10 when there is a newer version.",
  examples: ["update --check", "update"],
  flags: {
    check: { kind: "switch", help: "Show whether there is a newer version, and change nothing." },
    rollback: { kind: "switch", help: "Go back to the version from before the last update." },
    "allow-unsigned": {
      kind: "switch",
      help: "Accept a release that this build cannot check the signature of.",
    },
    ...jsonFlag,
  },
  arguments: { min: 0, max: 0 },
  needsPerson: true,
  async run(context) {
    const { args, io, services } = context;
    const [executable = "", ...others] = services.ownCommand;
    if (others.length > 0)
      throw new AppError("usage", "This program runs from its sources: update the checkout.");
    const program = realpathSync(executable);
    if (args.has("check") && !args.has("rollback")) return checked(context);
    const channel = channelOf(program);
    if (channel.kind === "managed") {
      const message = args.has("rollback")
        ? `${program} was installed by ${channel.by}, which can install an earlier version.`
        : `${program} was installed by ${channel.by}. Update it there: ${channel.command}`;
      throw new AppError("usage", message);
    }
    const { dirs } = readStartUp(args, io);
    const lock = join(dirs.scorpioxDir, "locks", "update");
    const change = args.has("rollback") ? rolledBack : updated;
    return withFileLock(lock, () => change(context, program));
  },
};

async function latest(context: CommandContext): Promise<{ release: Release; folder: string }> {
  const folder = releaseFolder(context.io.env);
  if (folder === undefined) {
    const message =
      "This build does not know where releases are. Set SCORPIOX_RELEASE_URL to their folder.";
    throw new AppError("config", message);
  }
  context.print.detail(`looks for a release in ${hideInUrl(folder)}`);
  const read = (): Promise<Release> => readRelease({ folder, fetch }, releaseKey());
  return { release: await withProgress(context, () => "Looking for a release", read), folder };
}

async function checked(context: CommandContext): Promise<number> {
  const { args, print, services } = context;
  const { release } = await latest(context);
  const isNewer = Bun.semver.order(release.version, services.version) > 0;
  if (args.has("json")) print.json({ version: services.version, latest: release.version, isNewer });
  else if (isNewer) print.line(`${release.version} is available; this is ${services.version}.`);
  else print.line(`${services.version} is the latest version.`);
  return isNewer ? exitCodes.changed : exitCodes.done;
}

async function updated(context: CommandContext, program: string): Promise<number> {
  const { args, print, services } = context;
  const { release, folder } = await latest(context);
  const { version } = release;
  // Another update may have replaced the program since this process was started.
  const installed = await askVersion(context)(program).catch(() => services.version);
  if (Bun.semver.order(version, installed) <= 0) {
    settleKilledUpdate(program);
    const older = version === installed ? "" : ` (the release is ${version}, which is older)`;
    if (args.has("json")) print.json({ version: installed, updated: false });
    else print.note(`${installed} is the latest version${older}.`);
    return exitCodes.done;
  }
  if (!release.isSigned && !folder.startsWith("file://") && !args.has("allow-unsigned")) {
    const message =
      "This build has no key to check the signature of a release. To update all the same, add --allow-unsigned.";
    throw new AppError("refused", `${message} Nothing was changed.`);
  }
  const wanted = programFor(release);
  print.detail(`downloads ${wanted.file} of ${version}`);
  let state = `Downloading ${version}`;
  await withProgress(
    context,
    () => state,
    async () => {
      const bytes = await readProgram({ folder, fetch }, wanted, (at, of) => {
        state = `Downloading ${version}: ${Math.floor((at / of) * 100)} % of ${megabytes(of)} MB`;
      });
      state = `Trying ${version}`;
      await replaceProgram(program, bytes, version, askVersion(context));
    },
  );
  if (args.has("json")) print.json({ version, updated: true, from: installed });
  else
    print.done(
      `${program} is ${version} now, was ${installed}. Clients use it from their next start.`,
    );
  return exitCodes.done;
}

function programFor({ programs, version }: Release): ReleasedProgram {
  const file = platformFile(process.platform, process.arch, runsOnMusl());
  const found = programs.find((program) => program.file === file);
  if (found !== undefined) return found;
  throw new AppError("not_found", `Release ${version} has no ${file}. Nothing was changed.`);
}

async function rolledBack(context: CommandContext, program: string): Promise<number> {
  const version = await rollBack(program, askVersion(context));
  if (context.args.has("json")) context.print.json({ version });
  else
    context.print.done(
      `${program} is ${version} now. To go forward again: ${product.name} update --rollback`,
    );
  return exitCodes.done;
}

function askVersion({ services }: CommandContext): AskVersion {
  return async (program) => {
    const { exitCode, output } = await services.runProgram([program, "version"]);
    const said = new RegExp(`^${product.name} (\\S+)$`, "m").exec(output)?.[1];
    if (exitCode === 0 && said !== undefined) return said;
    throw new Error(`exit code ${exitCode}: ${output.trim().slice(0, 300)}`);
  };
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(0);
}
