import { join } from "node:path";

import { AuditFile } from "../calls/policy/audit/audit-file.ts";
import { AuditLog } from "../calls/policy/audit/audit-log.ts";
import { KeptTasks } from "../hub/kept/kept-tasks.ts";
import { HubHooks } from "./hub-hooks.ts";
import type { Commands } from "./open-commands.ts";

export interface HubKeptParts {
  readonly scorpioxDir: string;
  readonly homeDir: string;
  readonly commands: Commands;
  /** The number of running tasks has changed. */
  readonly onChange: () => void;
  /** The process with which the hub ends, for people. */
  readonly endsWith: () => string | undefined;
  readonly log: (line: string) => void;
}

export interface HubKept {
  readonly tasks: KeptTasks;
  /** For which the hub stays: a task that runs, or a hook about one that has ended. */
  readonly isBusy: () => boolean;
}

/** The kept tasks of the hub, with their own lines in the audit log. */
export function openHubKept(parts: HubKeptParts): HubKept {
  const hooks = new HubHooks(parts);
  const audit = new AuditLog(new AuditFile(join(parts.scorpioxDir, "audit")), parts.log);
  const tasks = new KeptTasks({
    ...parts,
    orphanage: parts.commands.orphanage,
    onEnded: hooks.onEnded,
    audit: {
      add: (line) => audit.add(() => line),
      flush: () => audit.flush(),
    },
  });
  return { tasks, isBusy: () => tasks.alive > 0 || hooks.isBusy };
}
