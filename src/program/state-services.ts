import { AppError } from "../base/errors.ts";
import type { EventStream } from "../base/server-events.ts";
import type { Supervisor } from "../background/supervisor.ts";
import type { Changes } from "../gateway/changes.ts";
import type { CallWatcher, GateStage, NoteSource } from "../gateway/gate/gate-stage.ts";
import type { RunningCalls } from "../gateway/running-calls.ts";
import type { StateServices } from "../gateway/state-calls.ts";
import { PlanLook } from "../store/plan-look.ts";
import { StoreClient } from "../store/worker/store-client.ts";
import { Attach } from "./attach.ts";
import { createPlanService } from "./plan.ts";
import type { ToolServicesOptions } from "./program-parts.ts";

export interface StateParts extends Omit<ToolServicesOptions, "beforeServices"> {
  readonly instanceId: string;
  readonly storePath: string;
  readonly createStoreWorker: () => Worker;
  readonly events: EventStream;
  readonly changes: Changes;
  readonly running: RunningCalls;
  readonly supervisor: Supervisor;
}

export interface OpenStateServices {
  readonly services: StateServices;
  readonly stages: readonly GateStage[];
  readonly notes: readonly NoteSource[];
  readonly watchers: readonly CallWatcher[];
  /** There is time for what no call needs. */
  warm(): void;
  /** The client is gone. */
  endClient(clientId: string): void;
  /** What only lives in memory is gone then; what was to be kept is on the disk already. */
  close(): Promise<void>;
}

const absent = (): Promise<never> =>
  Promise.reject(new AppError("unsupported", "This is not built yet."));

/** The services that keep what outlives a call, and what every call passes on its way. */
export function createStateServices(parts: StateParts): OpenStateServices {
  const { createStoreWorker: createWorker, storePath: path, warn } = parts;
  const store = new StoreClient({ createWorker, path, warn });
  const planLook = new PlanLook(path);
  // `attach.terminals` is where questions are shown to people.
  const attach = new Attach(parts, () => services);
  const services: StateServices = {
    tasks: { perform: absent },
    plan: createPlanService({
      store,
      scorpioxDir: parts.start.dirs.scorpioxDir,
      emit: parts.events.emit,
      notes: () => Promise.resolve([]),
    }),
    questions: { ask: absent },
    skills: { load: absent },
    callbacks: { perform: absent },
  };
  const close = async (): Promise<void> => {
    planLook.close();
    await attach.close();
    await store[Symbol.asyncDispose]();
  };
  return {
    services,
    stages: [],
    notes: [],
    watchers: [attach.watcher],
    warm: () => attach.warm(),
    endClient: (clientId) => attach.endClient(clientId),
    close,
  };
}
