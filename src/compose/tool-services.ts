import { existsSync } from "node:fs";

import { ownRunningCommand } from "../base/product.ts";
import { Admissions, Gate } from "../calls/gate/gate.ts";
import { OwnResources } from "../calls/resources/own-resources.ts";
import { ToolRouter } from "../calls/router/tool-router.ts";
import type { GatewayServices } from "../calls/upstream/upstream-gateway.ts";
import type { ServerProcesses } from "../upstream/process/server-processes.ts";
import { ClientHoldings } from "./client-holdings.ts";
import { type OpenParts, openParts, storePathOf, type ToolServicesParts } from "./open-parts.ts";
import { ImageDecoder, PdfProcess } from "./own-process.ts";

/**
 * The services behind the tools, made with the first call or in the first quiet moment, because nothing of them is
 * needed to answer `initialize` and `tools/list`.
 */
export interface ToolServices {
  readonly gate: Gate;
  readonly resources: OwnResources;
  /** The services that calls to upstream servers need. */
  readonly forGateway: GatewayServices;
  /** The state of clients that another process can take over. */
  readonly holdings: ClientHoldings;
  /** See `ServerContextOptions.claimState`. */
  claimState(use: string, expiresAtMs: number): Promise<boolean>;
  /** Has the first Worker and the login shell's PATH ready before the first call, if there is time. */
  warm(): void;
  /** Workers for tools, calls that wait for one, and background tasks that are running. */
  figures(): Readonly<Record<"workers" | "queue" | "background", number>>;
  /** Ends the background tasks of a client that is gone. */
  endClient(clientId: string): Promise<void>;
  /** Starts upstream servers, as children like all others. @throws AppError `cancelled` at the end */
  upstreamProcesses(): Promise<ServerProcesses>;
  /** Ends every command that runs: it is not bounded as the next ones are. */
  endCommands(): Promise<void>;
  /**
   * Ends every command, every Worker, the browser and every upstream server, whose input is closed by its connection.
   * @param killAt when KILL is due for processes that do not end by themselves
   */
  endBy(killAt: number): Promise<void>;
}

export function createToolServices(parts: ToolServicesParts): ToolServices {
  const open = openParts(parts);
  const { commands, pool, startRest, state, stages, web, processes } = open;
  return {
    gate: createGate(open),
    resources: new OwnResources({
      supervisor: commands.supervisor,
      kept: open.kept,
      savedOutputs: commands.savedOutputs,
      changes: parts.changes,
      state: state.resources,
    }),
    forGateway: servicesForGateway(open),
    holdings: new ClientHoldings({
      supervisor: commands.supervisor,
      callbacks: state.callbacks,
    }),
    claimState: (use, expiresAtMs) => state.claimState(use, expiresAtMs),
    warm() {
      pool.warm();
      void commands.environment.get();
      state.warm();
      stages.warm();
      startRest.begin();
      if (existsSync(storePathOf(parts))) void commands.ledger.endLeftovers();
    },
    figures: () => ({
      workers: pool.size,
      queue: pool.waiting,
      background: commands.supervisor.runningTasks,
    }),
    endClient(clientId) {
      state.endClient(clientId);
      stages.endClient(clientId);
      return commands.supervisor.endClient(clientId);
    },
    endCommands: () => commands.supervisor.endLive(),
    async upstreamProcesses() {
      processes.assertOpen();
      return processes.get();
    },
    async endBy(killAt) {
      processes.close();
      open.kept[Symbol.dispose]();
      pool.close();
      // They do not wait for hooks, nor for the Worker, which may hang.
      const serversEnded = processes.making?.then((servers) => servers.endBy(killAt));
      state.endQuestions();
      await stages[Symbol.asyncDispose]();
      await state[Symbol.asyncDispose]();
      const commandsEnded = commands.supervisor.endBy(killAt, serversEnded);
      await Promise.all([web[Symbol.asyncDispose](), commandsEnded]);
      commands.ledger[Symbol.dispose]();
    },
  };
}

/** The gate and the routers behind it: own tools, and those of upstream servers. */
function createGate({
  program,
  options,
  gateway,
  commands,
  kept,
  pool,
  web,
  state,
  stages,
  running,
}: OpenParts): Gate {
  const { settings } = options.start.config;
  const { supervisor, savedOutputs } = commands;
  const { services, confinements } = state;
  const admissions = new Admissions([stages.plan, gateway.stage, ...stages.others]);
  const toolRouter = new ToolRouter({
    cards: program.cards,
    isEnabled: (toolName) => settings.isToolEnabled(toolName),
    isOffered: options.separation?.isOffered,
    cacheOwnerOf: options.separation?.cacheOwnerOf,
    isStreaming: settings.streaming,
    pool,
    supervisor,
    kept,
    savedOutputs,
    web,
    images: new ImageDecoder(supervisor, ownRunningCommand()),
    documents: new PdfProcess(supervisor, ownRunningCommand()),
    state: services,
    confinements,
    wantsData: admissions.wantsData,
  });
  return new Gate({
    own: toolRouter,
    upstream: gateway.calls,
    admissions,
    notes: stages.notes,
    watchers: [running, ...stages.watchers],
    enabledNames: gateway.enabledNames,
    resolve: gateway.resolve,
  });
}

function servicesForGateway({ commands, state, stages }: OpenParts): GatewayServices {
  const { supervisor, savedOutputs } = commands;
  const { services } = state;
  return {
    supervisor,
    savedOutputs,
    questions: () => services.questions,
    addOutput: (clientId, output) => supervisor.tasksOf(clientId).addOutput(output),
    watchers: stages.watchers,
  };
}
