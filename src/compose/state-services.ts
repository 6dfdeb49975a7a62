import { AppError } from "../base/errors.ts";
import { UsedOnce } from "../base/used-once.ts";
import type { StateResource } from "../calls/resources/state-resources.ts";
import type { ActivePlanOf, StateServices } from "../calls/state-calls.ts";
import { StoreClient } from "../state/store/worker/store-client.ts";
import type { LoadedSkill } from "../tools/state-services.ts";
import { Attach } from "./attach.ts";
import { Callbacks } from "./callbacks.ts";
import { activePlanOf, Plans } from "./plan.ts";
import type { ServiceParts } from "./program-parts.ts";
import { LazyQuestions } from "./questions.ts";
import { CommandSandbox } from "./sandbox.ts";
import { Tasks } from "./tasks.ts";

export interface OpenStateServices extends AsyncDisposable {
  readonly services: StateServices;
  readonly confinements: CommandSandbox;
  /** The plan that holds for a call. */
  readonly activePlan: ActivePlanOf;
  readonly resources: readonly StateResource[];
  readonly callbacks: Callbacks;
  /** Records the use of a state once, for all processes. @throws AppError when the engine cannot record it */
  claimState(use: string, expiresAtMs: number): Promise<boolean>;
  /** Has the next reply of the store say what has become of its file. */
  noteOfStore(notice: string): void;
  /** Called when there is time for work that no call needs. */
  warm(): void;
  /** The client is gone. */
  endClient(clientId: string): void;
  /** Nobody is asked any more: what waits for an answer ends. */
  endQuestions(): void;
  /** State in memory is lost; state to be kept is on the disk already. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** An own skill; where no own one has that name, one of an upstream server. */
async function loadSkill(
  { skills, loadForeignSkill }: ServiceParts,
  ...[request, call]: Parameters<StateServices["skills"]["load"]>
): Promise<LoadedSkill> {
  if (skills === undefined) throw new AppError("unsupported", "Skills are switched off.");
  try {
    return await skills.load(request, call);
  } catch (error) {
    const isUnknown = error instanceof AppError && error.code === "not_found";
    const foreign = isUnknown ? await loadForeignSkill(request, call) : undefined;
    if (foreign === undefined) throw error;
    return foreign;
  }
}

function claimStates(store: StoreClient, hasEngine: boolean): OpenStateServices["claimState"] {
  const usedHere = new UsedOnce();
  return async (use, expiresAtMs) => {
    if (!usedHere.claim(use, expiresAtMs)) return false;
    try {
      const request = { use, expiresAtMs };
      return (await store.call({ method: "states.use", request })).value.isFirst;
    } catch (error) {
      // A file that cannot be written must not keep a person from answering: this process remembers it.
      if (hasEngine) throw error;
      return true;
    }
  };
}

function openStore({
  createStoreWorker: createWorker,
  storePath: path,
  storePlace: postgres,
  warn,
  onWorker,
}: ServiceParts): StoreClient {
  const onLost = (): void => onWorker?.("store", false);
  return new StoreClient({ createWorker, path, postgres, warn, onLost });
}

/** The services that keep state beyond a call. */
export function createStateServices(parts: ServiceParts): OpenStateServices {
  const { storePath: path, storePlace: postgres, warn } = parts;
  const store = openStore(parts);
  const hasEngine = postgres !== undefined;
  const tasks = new Tasks({ store, storePath: path, hasEngine, events: parts.events });
  const plans = new Plans({
    store,
    storePath: hasEngine ? undefined : path,
    scorpioxDir: parts.start.dirs.scorpioxDir,
    events: parts.events,
    notes: () => confinements.planNotes(),
  });
  const activePlan = activePlanOf(plans, warn);
  const confinements = new CommandSandbox({ ...parts, activePlan });
  const attach = new Attach(parts, () => services);
  const callbacks = new Callbacks({ ...parts, model: parts.start.config.settings.model });
  const questions = new LazyQuestions({ ...parts, terminals: attach.terminals });
  const services: StateServices = {
    tasks: tasks.service,
    plan: plans.service,
    questions,
    skills: { load: (request, call) => loadSkill(parts, request, call) },
    callbacks,
  };
  return {
    services,
    callbacks,
    confinements,
    activePlan,
    resources: [tasks.resource, plans.resource, callbacks.resource],
    claimState: claimStates(store, hasEngine),
    noteOfStore: (notice) => store.note(notice),
    warm: () => attach.warm(),
    endClient: (clientId) => {
      for (const part of [questions, attach, callbacks]) part.endClient(clientId);
    },
    endQuestions: () => questions[Symbol.dispose](),
    // No stack: attached terminals end after what they show.
    async [Symbol.asyncDispose]() {
      for (const part of [callbacks, plans, tasks]) part[Symbol.dispose]();
      await attach[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
