import type { CallWatcher, GateStage, NoteSource } from "../calls/gate/gate-stage.ts";
import { PlanStage } from "../calls/policy/policy-stage.ts";
import { ServerHooks } from "./hooks.ts";
import { ServerPolicy } from "./policy.ts";
import type { ServiceParts } from "./program-parts.ts";
import type { OpenStateServices } from "./state-services.ts";

/** The stages that every call passes, who watches calls, and who adds lines to results. */
export class GateStages implements AsyncDisposable {
  /** Before any other: it leaves nothing to be asked or looked up that would be refused. */
  readonly plan: GateStage;
  /** Behind those of upstream servers: rules, required skills, hooks. */
  readonly others: readonly GateStage[];
  readonly notes: readonly NoteSource[];
  readonly watchers: readonly CallWatcher[];
  readonly #policy: ServerPolicy;
  readonly #hooks: ServerHooks;

  constructor(
    parts: ServiceParts,
    { services, callbacks, confinements, activePlan }: OpenStateServices,
  ) {
    const policy = new ServerPolicy({
      ...parts,
      sandboxOf: confinements.stateFor,
      questions: () => services.questions,
    });
    this.#policy = policy;
    this.#hooks = new ServerHooks(parts, (call, verdict) => policy.stage.confirm(call, verdict));
    const required = parts.skills === undefined ? [] : [parts.skills.required];
    this.plan = new PlanStage(activePlan);
    this.others = [policy.stage, ...required, ...this.#hooks.stages];
    this.notes = [...required, callbacks.notes];
    this.watchers = policy.watchers;
  }

  /** Called when there is time for work that no call needs. */
  warm(): void {
    this.#hooks.warm();
  }

  /** The client is gone. */
  endClient(clientId: string): void {
    this.#hooks.endClient(clientId);
  }

  /** Hooks and the audit log end side by side. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#hooks[Symbol.asyncDispose](), this.#policy[Symbol.asyncDispose]()]);
  }
}
