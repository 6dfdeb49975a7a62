import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";

import { AppError, messageOf } from "../base/errors.ts";
import { Lazy } from "../base/lazy.ts";
import { EventStream } from "../base/server-events.ts";
import { CommandEnvironment } from "../commands/background/command-environment.ts";
import { CommandLauncher } from "../commands/background/command-launcher.ts";
import { FamilyLedger } from "../commands/background/family-ledger.ts";
import { SavedOutputs } from "../commands/background/saved-outputs.ts";
import { Supervisor } from "../commands/background/supervisor.ts";
import type { Changes } from "../calls/changes.ts";
import type { ClientReach } from "../calls/client-reach.ts";
import type { GatewayServices } from "../calls/upstream/upstream-gateway.ts";
import { announceTask, OwnResources } from "../calls/resources/own-resources.ts";
import { GatedRouter } from "../calls/gate/gated-router.ts";
import { RunningCalls } from "../calls/gate/running-calls.ts";
import { ToolRouter } from "../calls/router/tool-router.ts";
import { describeUser } from "../commands/process/describe-user.ts";
import { Orphanage } from "../commands/process/orphanage.ts";
import { Guardian } from "../commands/process/guardian.ts";
import { loadLibc } from "../commands/process/libc.ts";
import { findShell } from "../commands/process/shell.ts";
import { Ledger } from "../state/store/ledger.ts";
import { openStore } from "../state/store/open-store.ts";
import { isBusy } from "../state/store/store-errors.ts";
import { WorkerPool } from "../tools/workers/pool.ts";
import { toolSearchName } from "../upstream/deferred/gateway-tools.ts";
import { ImageDecoder } from "./image-decoder.ts";
import type { LazyGateway } from "./lazy-gateway.ts";
import { PdfProcess } from "./pdf-process.ts";
import { lazyWeb } from "./lazy-web.ts";
import type { RemoteWeb } from "../web/remote-web.ts";
import { ownCommand } from "../commands/process/own-command.ts";
import type { ProgramParts, ToolServicesOptions } from "./program-parts.ts";
import { resultFolders } from "./result-folders.ts";
import { tellOfTask } from "./background-events.ts";
import { createStateServices, type OpenStateServices } from "./state-services.ts";
import { storePathIn } from "../state/store/store-path.ts";
import type { ServerProcesses } from "../upstream/process/server-processes.ts";
import { createWebOptions } from "./web-options.ts";

/** A ledger write waits this long for another process: it is on the main thread, and is tried again later. */
const ledgerBusyMsMax = 20;

/**
 * The services behind the tools, made with the first call or in the first quiet moment, because
 * nothing of them is needed to answer `initialize` and `tools/list`.
 */
export class ToolServices {
  readonly router: GatedRouter;
  readonly resources: OwnResources;
  /** What calls to other servers need. */
  readonly forGateway: GatewayServices;
  readonly #pool: WorkerPool;
  readonly #supervisor: Supervisor;
  readonly #environment: CommandEnvironment;
  readonly #ledger: FamilyLedger;
  readonly #storePath: string;
  readonly #web: RemoteWeb;
  readonly #state: OpenStateServices;
  readonly #serverProcesses: Lazy<ServerProcesses>;
  #isClosed = false;

  /**
   * @param changes gets to know of new background tasks and their output
   * @param reach how clients are reached who have not asked just now
   * @param gateway other servers' tools
   */
  constructor(
    parts: ProgramParts,
    options: ToolServicesOptions,
    changes: Changes,
    reach: ClientReach,
    gateway: LazyGateway,
  ) {
    const { start, env, warn, transport, skills } = options;
    const { settings } = start.config;
    const { scorpioxDir } = start.dirs;
    const libc = loadLibc();
    libc?.becomeSubreaper();
    libc?.disableCoreFiles();
    const instanceId = randomBytes(16).toString("hex");
    this.#storePath = storePathIn(scorpioxDir);
    const openLedger = (): Ledger =>
      new Ledger(
        openStore(this.#storePath, {
          busyMsMax: ledgerBusyMsMax,
          synchronous: "normal",
          warn: (notice) => {
            warn(notice);
            this.#state.noteOfStore(notice);
          },
        }),
      );
    this.#ledger = new FamilyLedger({ instanceId, open: openLedger, isBusy, warn });
    const orphanage = new Orphanage();
    const guardian = new Guardian(instanceId, orphanage, ownCommand());
    const shell = findShell({ shellPath: settings.shellPath, env, platform: process.platform });
    const { onFamily } = this.#ledger;
    const launcher = new CommandLauncher({ instanceId, orphanage, guardian, shell, onFamily });
    const user = describeUser(start.dirs.homeDir);
    this.#environment = new CommandEnvironment({ launcher, env, user });
    const savedOutputs = new SavedOutputs(resultFolders(scorpioxDir), warn);
    const environment = this.#environment.get;
    const events = new EventStream((error) => warn(`internal error: ${messageOf(error)}`));
    this.#supervisor = new Supervisor({
      launcher,
      orphanage,
      guardian,
      savedOutputs,
      environment,
      warn,
      onTask: (clientId, task) => {
        announceTask(changes, clientId, task);
        tellOfTask(events.emit, clientId, task);
      },
    });
    this.#pool = new WorkerPool({
      createWorker: parts.createWorker,
      onWorkerLost: (reason) => warn(`A Worker was lost and is replaced: ${reason}.`),
    });
    this.#web = lazyWeb({
      createWorker: parts.createWebWorker,
      options: () =>
        createWebOptions({ settings: settings.web, dirs: start.dirs, env, instanceId }),
      beforeStart: () => {
        // A browser that outlives the server is found by its mark; one that ends leaves zombies.
        guardian.start();
        this.#supervisor.collectOrphans();
      },
      warn,
    });
    this.#serverProcesses = new Lazy(async () => {
      const module = await import("../upstream/process/server-processes.ts");
      return new module.ServerProcesses({
        env,
        user,
        loginPath: async () => (await environment())["PATH"],
        orphanage,
        guardian,
        nextMark: () => launcher.nextMark(),
        onFamily,
        collectOrphans: () => this.#supervisor.collectOrphans(),
      });
    });
    const running = new RunningCalls();
    const ownNames = new Set([...parts.cards.map(({ listing }) => listing.name), toolSearchName]);
    this.#state = createStateServices({
      start,
      env,
      warn,
      transport,
      skills,
      loadForeignSkill: async (request, call) => (await gateway.skills())?.load(request, call),
      instanceId,
      storePath: this.#storePath,
      createStoreWorker: parts.createStoreWorker,
      events,
      changes,
      running,
      reach,
      supervisor: this.#supervisor,
      orphanage,
      shell,
      environment,
      isOwnTool: (toolName) => ownNames.has(toolName),
    });
    this.resources = new OwnResources({
      supervisor: this.#supervisor,
      savedOutputs,
      changes,
      state: this.#state.resources,
    });
    const { planStage, stages, notes, watchers, services } = this.#state;
    const toolRouter = new ToolRouter({
      cards: parts.cards,
      isEnabled: (toolName) => settings.isToolEnabled(toolName),
      isStreaming: settings.streaming,
      pool: this.#pool,
      supervisor: this.#supervisor,
      savedOutputs,
      web: this.#web,
      images: new ImageDecoder(this.#supervisor, ownCommand()),
      documents: new PdfProcess(this.#supervisor, ownCommand()),
      state: this.#state.services,
      confinements: this.#state.confinements,
      wantsData: (call) => stages.some((stage) => stage.wantsData?.(call) === true),
    });
    this.forGateway = {
      supervisor: this.#supervisor,
      savedOutputs,
      questions: () => services.questions,
      keepOutput: (clientId, output) => this.#supervisor.tasksOf(clientId).keep(output),
      watchers,
    };
    gateway.tellFailures(events.emit);
    this.router = new GatedRouter({
      router: gateway.join(toolRouter),
      stages: [planStage, gateway.stage, ...stages],
      notes,
      watchers: [running, ...watchers],
      resolve: gateway.resolve,
    });
  }

  /** Has the first Worker and the login shell's PATH ready before the first call, if there is time. */
  warm(): void {
    this.#pool.warm();
    void this.#environment.get();
    this.#state.warm();
    if (existsSync(this.#storePath)) void this.#ledger.endLeftovers();
  }

  /** Ends the background tasks of a client that is gone. */
  endClient(clientId: string): Promise<void> {
    this.#state.endClient(clientId);
    return this.#supervisor.endClient(clientId);
  }

  /** What starts other servers, as children like all others. @throws AppError `cancelled` at the end */
  async serverProcesses(): Promise<ServerProcesses> {
    if (this.#isClosed) throw new AppError("cancelled", "The server is shutting down.");
    return this.#serverProcesses.get();
  }

  /**
   * Ends every command, every Worker, the browser and every other server, whose input is closed by who speaks to it.
   * @param killAt when KILL is due for what does not end by itself
   */
  async close(killAt: number): Promise<void> {
    this.#isClosed = true;
    this.#pool.close();
    // They do not wait for hooks, nor for the Worker, which may hang.
    const serversEnded = this.#serverProcesses.making?.then((processes) => processes.close(killAt));
    await this.#state.close();
    const commandsEnded = this.#supervisor.close(serversEnded, killAt);
    await Promise.all([this.#web[Symbol.asyncDispose](), commandsEnded]);
    this.#ledger.close();
  }
}
