import { join } from "node:path";

import { AuditFile } from "../calls/policy/audit/audit-file.ts";
import { AuditLog } from "../calls/policy/audit/audit-log.ts";
import type { Orphanage } from "../commands/process/orphanage.ts";
import { KeptTasks } from "../hub/kept/kept-tasks.ts";

export interface HubKeptParts {
  readonly scorpioxDir: string;
  readonly orphanage: Orphanage;
  /** The number of running tasks has changed. */
  readonly onChange: () => void;
  /** The process with which the hub ends, for people. */
  readonly endsWith: () => string | undefined;
  readonly log: (line: string) => void;
}

/** The kept tasks of the hub, with their own lines in the audit log. */
export function openHubKept(parts: HubKeptParts): KeptTasks {
  const audit = new AuditLog(new AuditFile(join(parts.scorpioxDir, "audit")), parts.log);
  return new KeptTasks({
    ...parts,
    audit: {
      add: (line) => audit.add(() => line),
      flush: () => audit.flush(),
    },
  });
}
