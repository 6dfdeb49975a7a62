import { cutEnd } from "../base/cut-text.ts";
import { messageOf } from "../base/errors.ts";
import { endLazy, forwarding, Lazy } from "../base/lazy.ts";
import { shownCommandCharsMax, startRestMs } from "../base/limits.ts";
import { EventStream, type ServerEvent } from "../base/server-events.ts";
import type { Changes, ClientReach } from "../calls/features.ts";
import { CallingClients } from "../calls/gate/calling-clients.ts";
import { announceTask } from "../calls/resources/own-resources.ts";
import type { BackgroundTask } from "../commands/background/client-tasks.ts";
import { storePathIn } from "../state/store/open-store.ts";
import { WorkerPool } from "../tools/workers/pool.ts";
import { toolSearchName } from "../upstream/search/gateway-tools.ts";
import type { ServerProcesses } from "../upstream/process/server-processes.ts";
import type { RemoteWeb, WebOptions } from "../web/web.ts";
import type { LazyGateway } from "./lazy-gateway.ts";
import { MemoryRest } from "./memory-rest.ts";
import { type Commands, openCommands } from "./open-commands.ts";
import type { ProgramParts, ToolServicesOptions } from "./program-parts.ts";
import { createStateServices, type OpenStateServices } from "./state-services.ts";
import { createWebOptions } from "./web-options.ts";

export interface ToolServicesParts {
  readonly program: ProgramParts;
  readonly options: ToolServicesOptions;
  /** Gets to know of new background tasks and their output. */
  readonly changes: Changes;
  /** How clients are reached who have not asked just now. */
  readonly reach: ClientReach;
  /** The tools of upstream servers. */
  readonly gateway: LazyGateway;
}

/** The parts of the services, in the order in which they are made. */
export interface OpenParts extends ToolServicesParts {
  readonly events: EventStream;
  readonly running: CallingClients;
  readonly commands: Commands;
  readonly pool: WorkerPool;
  /** Begins when everything is ready for a first call: the code of the start is not needed again. */
  readonly startRest: MemoryRest;
  readonly web: RemoteWeb;
  readonly processes: Lazy<ServerProcesses>;
  readonly state: OpenStateServices;
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
      announceTask(changes, clientId, task);
      tellOfTask(events.emit, clientId, task);
    },
  });
  const running = new CallingClients();
  const isBusy = (): boolean => !running.isQuiet;
  const collect = (): void => Bun.shrink();
  const rest = new MemoryRest({ isBusy, isOver: () => pool.size > 0, collect });
  const startRest = new MemoryRest({
    isBusy,
    isOver: () => running.hasCallers,
    collect,
    restMs: startRestMs,
  });
  const pool = new WorkerPool({
    createWorker: program.createWorker,
    onEmpty: rest.begin,
    onWorkerLost: (reason) => warn(`A Worker was lost and is replaced: ${reason}.`),
  });
  const web = openWeb(parts, commands);
  const processes = openServerProcesses(parts, commands);
  const state = openState(parts, { events, running, commands });
  gateway.tellFailures(events.emit);
  return { ...parts, events, running, commands, pool, startRest, web, processes, state };
}

export function storePathOf({ options }: ToolServicesParts): string {
  return storePathIn(options.start.dirs.scorpioxDir);
}

function openWeb({ program, options }: ToolServicesParts, commands: Commands): RemoteWeb {
  const { start, env, warn } = options;
  const { dirs, config } = start;
  const { instanceId, guardian, supervisor } = commands;
  return lazyWeb({
    createWorker: program.createWebWorker,
    options: () => createWebOptions({ settings: config.settings.web, dirs, env, instanceId }),
    beforeStart: () => {
      // A browser that outlives the server is found by its mark; one that ends leaves zombies.
      guardian.start();
      supervisor.collectOrphans();
    },
    warn,
  });
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

function openState(
  parts: ToolServicesParts,
  { events, running, commands }: Pick<OpenParts, "events" | "running" | "commands">,
): OpenStateServices {
  const { program, options, changes, reach, gateway } = parts;
  const ownNames = new Set([...program.cards.map(({ listing }) => listing.name), toolSearchName]);
  return createStateServices({
    start: options.start,
    env: options.env,
    warn: options.warn,
    transport: options.transport,
    skills: options.skills,
    loadForeignSkill: async (request, call) => (await gateway.skills())?.load(request, call),
    instanceId: commands.instanceId,
    storePath: storePathOf(parts),
    createStoreWorker: program.createStoreWorker,
    events,
    changes,
    running,
    reach,
    supervisor: commands.supervisor,
    orphanage: commands.orphanage,
    shell: commands.shell,
    environment: commands.environment.get,
    isOwnTool: (toolName) => ownNames.has(toolName),
  });
}

/** Tells of a new background task now, and of its end when that comes. */
function tellOfTask(
  emit: (event: ServerEvent) => void,
  clientId: string,
  { id: taskId, execution }: BackgroundTask,
): void {
  const command = cutEnd(execution.commandText, shownCommandCharsMax);
  const task = { kind: "background", clientId, taskId, command } as const;
  emit({ ...task, change: "started", exitCode: null });
  void execution.ended.then(() => {
    emit({ ...task, change: "ended", exitCode: execution.exit?.exitCode ?? null });
  });
}

interface LazyWebParts {
  readonly createWorker: () => Worker;
  readonly options: () => WebOptions;
  /** Called once, before the Worker is started. */
  readonly beforeStart: () => void;
  readonly warn: (message: string) => void;
}

/** The web service, of which nothing is loaded before the first page or search. */
export function lazyWeb({ createWorker, options, beforeStart, warn }: LazyWebParts): RemoteWeb {
  const web: Lazy<RemoteWeb> = new Lazy(async () => {
    const { WebWorkerClient } = await import("../web/worker/web-worker-client.ts");
    web.assertOpen();
    beforeStart();
    return new WebWorkerClient({ createWorker, options: options(), warn });
  });
  return {
    ...forwarding(() => web.get(), ["fetchPage", "renderPage", "search"]),
    [Symbol.asyncDispose]: () => endLazy(web),
  };
}
