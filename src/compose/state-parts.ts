import type { EventStream } from "../base/server-events.ts";
import type { Changes, ClientReach } from "../calls/features.ts";
import type { CallingClients } from "../calls/gate/calling-clients.ts";
import type { StateServices } from "../calls/state-calls.ts";
import type { Supervisor } from "../commands/background/supervisor.ts";
import type { Orphanage } from "../commands/process/orphanage.ts";
import type { Shell } from "../commands/process/shell.ts";
import type { LoadedSkill } from "../tools/state-services.ts";
import type { ToolServicesOptions } from "./program-parts.ts";

export interface StateParts extends Omit<ToolServicesOptions, "beforeServices"> {
  /** A skill of an upstream server; undefined when none has it. */
  readonly loadForeignSkill: (
    ...asked: Parameters<StateServices["skills"]["load"]>
  ) => Promise<LoadedSkill | undefined>;
  readonly instanceId: string;
  readonly storePath: string;
  readonly createStoreWorker: () => Worker;
  readonly events: EventStream;
  readonly changes: Changes;
  readonly running: CallingClients;
  readonly reach: ClientReach;
  readonly supervisor: Supervisor;
  readonly orphanage: Orphanage;
  /** That runs commands. */
  readonly shell: Shell;
  /** That of commands. */
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
  /** False for tools of upstream servers. */
  readonly isOwnTool: (toolName: string) => boolean;
}
