import { AppError } from "../base/errors.ts";
import type { EventStream } from "../base/server-events.ts";
import type { Supervisor } from "../background/supervisor.ts";
import type { Changes } from "../gateway/changes.ts";
import type { CallWatcher, GateStage, NoteSource } from "../gateway/gate/gate-stage.ts";
import type { RunningCalls } from "../gateway/running-calls.ts";
import type { StateServices } from "../gateway/state-calls.ts";
import { PlanLook } from "../store/plan-look.ts";
import { StoreClient } from "../store/worker/store-client.ts";
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
  const services: StateServices = {
    tasks: { perform: absent },
    plan: { status: absent, read: absent, change: absent },
    questions: { ask: absent },
    skills: { load: absent },
    callbacks: { perform: absent },
  };
  const close = async (): Promise<void> => {
    planLook.close();
    await store[Symbol.asyncDispose]();
  };
  return { services, stages: [], notes: [], watchers: [], close };
}
