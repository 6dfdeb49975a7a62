import type { EventStream } from "../base/server-events.ts";
import type { Environment } from "../base/values.ts";
import type { ClientLimits } from "../calls/call.ts";
import type { Changes, ClientReach } from "../calls/features.ts";
import type { CallingClients } from "../calls/gate/calling-clients.ts";
import type { KeptCommands } from "../calls/router/kept-commands.ts";
import type { StateServices } from "../calls/state-calls.ts";
import type { StartUp } from "../cli/start-up.ts";
import type { Supervisor } from "../commands/background/supervisor.ts";
import type { Orphanage } from "../commands/process/orphanage.ts";
import type { Shell } from "../commands/process/shell.ts";
import type { PostgresPlace } from "../state/store/postgres/store-url.ts";
import type { LoadedSkill } from "../tools/state-services.ts";
import type { ToolCard } from "../tools/tool-card.ts";
import type { Principals } from "../upstream/config/server-entry.ts";
import type { UserLoginsOptions } from "../upstream/worker/upstream-options.ts";
import type { CallSkills } from "./lazy-features.ts";
import type { Separation } from "./separation.ts";

/** The parts that differ between the product and the program that tests Worker faults. */
export interface ProgramParts {
  readonly cards: readonly ToolCard[];
  /** The instructions where every one of these tools is offered, put together ahead; absent: they are put together. */
  readonly wholeInstructions?: { readonly lines: readonly string[]; readonly text: string };
  /** A Worker for tools. */
  readonly createWorker: () => Worker;
  /** The Worker for all that reaches the network. */
  readonly createWebWorker: () => Worker;
  /** The Worker that writes data that must survive a power cut. */
  readonly createStoreWorker: () => Worker;
  /** The Worker that talks to upstream servers. */
  readonly createUpstreamWorker: () => Worker;
  /** Instead of the folder in which the administrator has rules; the product uses that one. */
  readonly machineDir?: string | undefined;
}

/** The purpose of a Worker. */
export type WorkerKind = "tools" | "store" | "web" | "upstream";

export interface ApplicationOptions {
  readonly start: StartUp;
  readonly env: Environment;
  readonly warn: (message: string) => void;
  /** How clients reach this server, for people: `stdio`, or `http` with the address. */
  readonly transport?: string | undefined;
  /** Over HTTP: the address of this server; undefined before it listens. */
  readonly ownUrl?: () => string | undefined;
  /** Over HTTP: what logins of principals to upstream servers need. */
  readonly userLogins?: () => UserLoginsOptions;
  /** The principals served over HTTP now; absent or undefined: the user of this machine. */
  readonly principals?: () => Principals;
  /** Keeps them apart; absent where there is one client. */
  readonly separation?: Separation | undefined;
  /** Upstream servers get the requests of a command, and nothing else. */
  readonly isPassive?: boolean;
  /** It is for a command, which ends soon. */
  readonly isBrief?: boolean;
  /** Absent where InvokeSkill is switched off. */
  readonly skills?: CallSkills | undefined;
  /** Where tasks and plans are kept, when that is not the file of this user. */
  readonly storePlace?: PostgresPlace | undefined;
  /** Called when a client has other callbacks or background tasks than before; absent where nobody keeps copies. */
  readonly onClientState?: ((clientId: string) => void) | undefined;
  /** Called when a Worker was lost (`isUp` false), and when that for upstream servers is there again. */
  readonly onWorker?: ((worker: WorkerKind, isUp: boolean) => void) | undefined;
  /** Awaited before any Worker or child is started. */
  readonly beforeServices?: () => Promise<unknown>;
}

/** The client's limits; faults of the file that overrides them are reported when it is first read. */
export function limitsFor(
  { clients }: StartUp,
  clientName: string | undefined,
  warn: (message: string) => void,
): ClientLimits {
  const limits = clients.limitsFor(clientName);
  if (!reported.has(clients)) {
    reported.add(clients);
    for (const problem of clients.problems()) warn(problem.message);
  }
  return limits;
}

/** Tables whose problems have been said. */
const reported = new WeakSet<object>();

/** Desktop applications start servers in `/`, where no command should run by accident. */
export function workspaceFallback(cwd: string, homeDir: string): string {
  return cwd === "/" ? homeDir : cwd;
}

export interface ServiceParts extends Omit<ApplicationOptions, "beforeServices"> {
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
  readonly kept: KeptCommands;
  readonly orphanage: Orphanage;
  /** The shell that runs commands. */
  readonly shell: Shell;
  /** The environment of commands. */
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
  /** False for tools of upstream servers. */
  readonly isOwnTool: (toolName: string) => boolean;
}
