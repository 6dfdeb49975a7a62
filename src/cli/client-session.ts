import { join } from "node:path";

import { AppError } from "../base/errors.ts";
import { ChangeLog } from "../install/change-log.ts";
import type { ClientFile } from "../install/find-client.ts";
import { configPartsOf } from "../upstream/config/upstream-start.ts";
import type { ClientPlan, ClientSession } from "./client-changes.ts";
import type { CommandContext } from "./command.ts";
import { directoryFlags, type FlagTable, jsonFlag } from "./flags.ts";
import { openSecrets } from "./server-login.ts";
import { readStartUp } from "./start-up.ts";

/** The flags of every command that changes clients' files. */
export const changeFlags: FlagTable = {
  yes: { kind: "switch", short: "y", help: "Make the changes without asking." },
  "dry-run": { kind: "switch", help: "Show the changes without making them." },
  ...jsonFlag,
  ...directoryFlags,
};

/** Reads where the clients and our own files are. @throws {AppError} `usage` for the project's scope without a project */
export function openSession(context: CommandContext, isInstall = false): ClientSession {
  const { args, io } = context;
  const start = readStartUp(args, io);
  const { dirs } = start;
  const scope = args.text("scope") === "project" ? "project" : "user";
  if (scope === "project" && dirs.projectDir === undefined) {
    const message = "There is no project here. Use --scope user, or name its folder with --cwd.";
    throw new AppError("usage", message);
  }
  const { secrets, announce } = openSecrets(context, start);
  const file = join(dirs.scorpioxDir, "config.toml");
  return {
    context,
    log: new ChangeLog(dirs.scorpioxDir),
    machine: { dirs, env: io.env, platform: process.platform },
    scope,
    isInstall,
    moveTarget: {
      target: { file, scorpioxDir: dirs.scorpioxDir, isPrivate: true },
      origin: { rank: 1, trust: "user", scope: "global", file },
      parts: configPartsOf(start, io.env),
      secrets,
    },
    announce,
  };
}

/** The plan for a client without the place of its file. */
export type PlannedPart = Omit<ClientPlan, "place">;

/** The plan for one client: a fault of its file keeps the others from nothing. */
export async function planned(
  place: ClientFile,
  plan: () => Promise<PlannedPart> | PlannedPart,
): Promise<ClientPlan> {
  try {
    return { place, ...(await plan()) };
  } catch (error) {
    if (error instanceof AppError) return { place, fault: error.message };
    throw error;
  }
}
