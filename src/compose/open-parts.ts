import { messageOf } from "../base/errors.ts";
import { Lazy } from "../base/lazy.ts";
import { EventStream } from "../base/server-events.ts";
import type { Changes, ClientReach } from "../calls/features.ts";
import { CallingClients } from "../calls/gate/calling-clients.ts";
import { storePathIn } from "../state/store/open-store.ts";
import { WorkerPool } from "../tools/workers/pool.ts";
import { toolSearchName } from "../base/tool-kinds.ts";
import type { ServerProcesses } from "../upstream/process/server-processes.ts";
import type { RemoteWeb } from "../web/web.ts";
import { GateStages } from "./gate-stages.ts";
import type { HubAccess } from "./hub-access.ts";
import { openServerKept, type ServerKept } from "./kept.ts";
import type { LazyGateway } from "./lazy-gateway.ts";
import { openWeb } from "./lazy-web.ts";
import { MemoryRest, restAfterStart } from "./memory-rest.ts";
import { type Commands, openCommands } from "./open-commands.ts";
import type { ProgramParts, ServiceParts, ApplicationOptions } from "./program-parts.ts";
import { createStateServices, type OpenStateServices } from "./state-services.ts";
import { tellOfBackgroundTask } from "./background-events.ts";

export interface ToolServicesParts {
  readonly program: ProgramParts;
  readonly options: ApplicationOptions;
  /** Gets to know of new background tasks and their output. */
  readonly changes: Changes;
  /** How clients are reached who have not asked just now. */
  readonly reach: ClientReach;
  /** The tools of upstream servers. */
  readonly gateway: LazyGateway;
  /** How the process that it shares with others is reached. */
  readonly hub: () => Promise<HubAccess>;
}

/** The parts of the services, in the order in which they are made. */
export interface OpenParts extends ToolServicesParts {
  readonly events: EventStream;
  readonly running: CallingClients;
  readonly commands: Commands;
  readonly kept: ServerKept;
  readonly pool: WorkerPool;
  /** Begins when everything is ready for a first call: the code of the start is not needed again. */
  readonly startRest: MemoryRest;
  readonly web: RemoteWeb;
  readonly processes: Lazy<ServerProcesses>;
  readonly state: OpenStateServices;
  readonly stages: GateStages;
}

/** Makes them; Workers and children start when they are first needed. */
export function openParts(parts: ToolServicesParts): OpenParts {
  const { program, options, changes, gateway } = parts;
  const { warn } = options;
  const events = new EventStream((error) => warn(`internal error: ${messageOf(error)}`));
  const { dirs, config } = options.start;
  const commands = openCommands({
    dirs,
    shellPath: config.settings.shellPath,
    env: options.env,
    warn,
    storePath: storePathOf(parts),
    noteOfStore: (notice) => state.noteOfStore(notice),
    onTask: (clientId, task) => {
      tellOfBackgroundTask({ changes, emit: events.emit }, clientId, task);
      const { onClientState } = parts.options;
      if (onClientState === undefined) return;
      onClientState(clientId);
      void task.execution.ended.then(() => onClientState(clientId));
    },
  });
  const kept = openServerKept({ ...parts, commands, events });
  const running = new CallingClients();
  const isBusy = (): boolean => !running.isQuiet;
  const rest = new MemoryRest({ isBusy, isOver: () => pool.size > 0, collect });
  const startRest = restAfterStart({ running, hasServers: () => gateway.isMade, collect });
  const pool = new WorkerPool({
    createWorker: program.createWorker,
    onEmpty: rest.begin,
    onWorkerLost: (reason) => {
      warn(`A Worker was lost and is replaced: ${reason}.`);
      options.onWorker?.("tools", false);
    },
  });
  const web = openWeb(parts, commands);
  const processes = openServerProcesses(parts, commands);
  const serviceParts = servicePartsOf(parts, { events, running, commands, kept });
  const state = createStateServices(serviceParts);
  const stages = new GateStages(serviceParts, state);
  gateway.tellFailures(events.emit);
  const made = { events, running, commands, kept, pool, startRest, web, processes, state, stages };
  return { ...parts, ...made };
}

function collect(): void {
  Bun.shrink();
}

export function storePathOf({ options }: ToolServicesParts): string {
  return storePathIn(options.start.dirs.scorpioxDir);
}

function openServerProcesses(
  { options }: ToolServicesParts,
  { user, environment, orphanage, guardian, launcher, ledger, supervisor }: Commands,
): Lazy<ServerProcesses> {
  return new Lazy(async () => {
    const module = await import("../upstream/process/server-processes.ts");
    return new module.ServerProcesses({
      env: options.env,
      user,
      loginPath: async () => (await environment.get())["PATH"],
      orphanage,
      guardian,
      nextMark: () => launcher.nextMark(),
      onFamily: ledger.onFamily,
      collectOrphans: () => supervisor.collectOrphans(),
    });
  });
}

function servicePartsOf(
  parts: ToolServicesParts,
  { events, running, commands, kept }: Pick<OpenParts, "events" | "running" | "commands" | "kept">,
): ServiceParts {
  const { program, options, changes, reach, gateway } = parts;
  const own = new Set([...program.cards.map(({ listing }) => listing.name), toolSearchName]);
  return {
    start: options.start,
    env: options.env,
    warn: options.warn,
    transport: options.transport,
    onClientState: options.onClientState,
    separation: options.separation,
    skills: options.skills,
    loadForeignSkill: async (request, call) =>
      (await gateway.skills(call.client))?.load(request, call),
    instanceId: commands.instanceId,
    storePath: storePathOf(parts),
    storePlace: options.storePlace,
    createStoreWorker: program.createStoreWorker,
    onWorker: options.onWorker,
    events,
    changes,
    running,
    reach,
    supervisor: commands.supervisor,
    kept,
    orphanage: commands.orphanage,
    shell: commands.shell,
    environment: commands.environment.get,
    isOwnTool: (toolName) => own.has(toolName),
  };
}
