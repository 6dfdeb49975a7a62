import { AppError } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { commandTools } from "../../base/tool-kinds.ts";
import { cleanServer, originalName, uncutName } from "../../upstream/names/assign-names.ts";
import { upstreamToolOf, type CallTarget, type ToolTarget } from "../call-target.ts";
import type { CallRequest } from "../call.ts";
import type { CallEnd, CallWatcher, GateStage, Refusal, Rest } from "../gate/gate-stage.ts";
import { type ActivePlanOf, workspaceDirOf } from "../state-calls.ts";
import {
  type Agreement,
  CallConsent,
  type CallConsentParts,
  refusalText,
} from "./consent/call-consent.ts";
import { judgeCall, type JudgeParts } from "./rules/judge-call.ts";
import { withProject } from "./rules/policy-files.ts";
import { allowed, type JudgedCall, type Policy, policyFor, type Verdict } from "./rules/rule.ts";

export interface PolicyStageParts extends CallConsentParts, Omit<JudgeParts, "folder"> {
  /** The rules as they are now. */
  readonly policy: () => Policy;
  /** Until when those stay as they are; absent: each call asks for them. */
  readonly policyFreshUntil?: () => number;
  /** The rules of the project in which a client works that says where it does. */
  readonly policyAt?: (folder: string) => Policy;
}

/** Why a call was or was not made, for the audit log. */
export interface Decision {
  readonly rule: string | undefined;
  readonly agreement: Agreement | undefined;
}

/** Judges every call by the rules; asks the user where they say so. */
export class PolicyStage implements GateStage, CallWatcher {
  readonly #parts: PolicyStageParts;
  readonly #consent: CallConsent;
  readonly #verdicts = new WeakMap<CallRequest, Verdict>();
  /** Calls with a verdict. Only these have a decision for the audit log, or a consent to keep. */
  readonly calls: { has(call: CallRequest): boolean } = this.#verdicts;

  constructor(parts: PolicyStageParts) {
    this.#parts = parts;
    this.#consent = new CallConsent(parts);
  }

  mayObject(call: CallRequest): boolean {
    const { policy, policyAt } = this.#parts;
    const isOfProject = policyAt !== undefined && call.client.roots !== undefined;
    return isOfProject || !this.#isWithoutRules(policy(), call);
  }

  /** While there are no rules that could be about the call. The rules of a client's own project are asked for each time. */
  restFor(call: CallRequest): Rest | undefined {
    const { policy, policyFreshUntil } = this.#parts;
    if (policyFreshUntil === undefined || call.client.roots !== undefined) return undefined;
    return this.#isWithoutRules(policy(), call) ? { until: policyFreshUntil() } : undefined;
  }

  /** @throws InputNeeded to be let through */
  check(call: CallRequest): Promise<Refusal | undefined> | undefined {
    const { policy, policyAt } = this.#parts;
    if (policyAt === undefined || call.client.roots === undefined)
      return this.#checkAgainst(policy(), call);
    return this.#checkInProject(call, policyAt);
  }

  /** The rules of both projects apply: a client cannot choose a project without rules, and a project may only tighten. */
  async #checkInProject(
    call: CallRequest,
    policyAt: (folder: string) => Policy,
  ): Promise<Refusal | undefined> {
    let folder: string;
    try {
      folder = await workspaceDirOf(call.client);
    } catch (error) {
      return refusalOfFailure(error);
    }
    return this.#checkAgainst(withProject(this.#parts.policy(), policyAt(folder)), call);
  }

  #checkAgainst(policy: Policy, call: CallRequest): Promise<Refusal | undefined> | undefined {
    if (this.#isWithoutRules(policy, call)) return undefined;
    const { target } = call;
    const serverPolicy = serverPolicyOf(call);
    const folder = (): Promise<string> => workspaceDirOf(call.client);
    const judged = {
      tool: call.name,
      args: call.args,
      ...namesOf(target),
      ...(call.client.person !== undefined && { person: call.client.person }),
      ...(target?.kind !== "tool" || serverPolicy === undefined
        ? {}
        : { serverPolicy: { server: target.server, action: serverPolicy } }),
    };
    const verdict = judgeCall(judged, policy, { ...this.#parts, folder });
    if (verdict === allowed) return undefined;
    return verdict instanceof Promise
      ? verdict.then((later) => this.#act(call, later), refusalOfFailure)
      : this.#act(call, verdict);
  }

  #isWithoutRules(policy: Policy, call: CallRequest): boolean {
    if (serverPolicyOf(call) !== undefined) return false;
    if (this.#parts.warnsOfDanger && commandTools.has(call.name)) return false;
    const { name, target } = call;
    const own = policyFor(policy, { tool: name, ...namesOf(target) });
    return own.rules.length + own.defaults.length === 0 && own.problem === undefined;
  }

  /** Asks the user about a call for another reason than a rule, unless the user has agreed to it. @throws InputNeeded */
  async confirm(call: CallRequest, verdict: Verdict): Promise<Refusal | undefined> {
    if (this.#consent.agreementTo(call) !== undefined) return undefined;
    this.#verdicts.set(call, verdict);
    return this.#consent.ask(call, verdict);
  }

  ended(call: CallRequest, { outcome }: CallEnd): void {
    if (outcome === "result") this.#consent.wentThrough(call);
  }

  /** The decision on a call that was checked. */
  decisionOn(call: CallRequest): Decision {
    const agreement = this.#consent.agreementTo(call);
    return { rule: this.#verdicts.get(call)?.rule, agreement };
  }

  #act(call: CallRequest, verdict: Verdict): Promise<Refusal | undefined> | undefined {
    this.#verdicts.set(call, verdict);
    switch (verdict.action) {
      case "allow":
        return undefined;
      case "ask":
        return this.#consent.ask(call, verdict);
      case "deny": {
        const text = refusalText(call.name, verdict, "forbidden", false);
        return Promise.resolve({ decision: "denied", text });
      }
    }
  }
}

/** The policy for calls to a server in the user's entry of it. */
function serverPolicyOf({ target }: CallRequest): ToolTarget["rights"]["policy"] {
  return target?.kind === "tool" ? target.rights.policy : undefined;
}

/**
 * Further names under which rules may refer to a call: an upstream tool uncut, as its server writes it, and all
 * tools of the server (TR9). None for own tools.
 */
function namesOf(target: CallTarget | undefined): Pick<JudgedCall, "otherNames" | "upstream"> {
  const named = target === undefined ? undefined : upstreamToolOf(target);
  if (named === undefined) return {};
  const { server, tool } = named;
  const otherNames = [
    originalName(server, tool),
    uncutName(server, tool),
    `mcp__${server}`,
    `mcp__${cleanServer(server)}`,
  ];
  return { otherNames, upstream: { server, tool } };
}

/** A call that cannot be judged is refused. */
function refusalOfFailure(error: unknown): Refusal {
  if (!(error instanceof AppError) || error.code === "cancelled") throw error;
  return {
    decision: "denied",
    text: `Not run: the rules could not be applied to it: ${error.message}`,
  };
}

/**
 * While a plan is being made nothing is to change, and nothing restrains an upstream server: only those of its tools are
 * called that only read, by the definition that was approved, or that the user lets be called.
 */
export class PlanStage implements GateStage {
  readonly #activePlan: ActivePlanOf;

  constructor(activePlan: ActivePlanOf) {
    this.#activePlan = activePlan;
  }

  /** Looks for a plan only where one would matter. */
  check(call: CallRequest): Promise<Refusal | undefined> | undefined {
    const { target } = call;
    if (target?.kind !== "tool" || mayBeCalled(target)) return undefined;
    const plan = this.#activePlan(call);
    if (plan instanceof Promise) return plan.then((found) => refusalIn(found, call, target));
    return plan === undefined ? undefined : Promise.resolve(refusalIn(plan, call, target));
  }

  /** Forever for tools that plan mode never refuses. For others plan mode is looked up at each call. */
  restFor({ target }: CallRequest): Rest | undefined {
    return target?.kind !== "tool" || mayBeCalled(target) ? always : undefined;
  }
}

function refusalIn(
  plan: object | undefined,
  { name }: CallRequest,
  target: ToolTarget,
): Refusal | undefined {
  if (plan === undefined) return undefined;
  return { decision: "denied", text: planRefusalText(name, target) };
}

const always: Rest = { until: Number.POSITIVE_INFINITY };

function mayBeCalled({ isReadOnly, rights }: ToolTarget): boolean {
  return isReadOnly === true || rights.policy === "allow";
}

function planRefusalText(name: string, { server }: ToolTarget): string {
  return (
    `${name} was not called: plan mode is active, and its approved definition does not say that it only reads. ` +
    "Go on with tools that read, or end plan mode: PlanMode with action exit. " +
    "There are two ways to have it called while a plan is made, both of them the user's: " +
    `the server marks it with readOnlyHint: true and that definition is approved (${product.name} mcp approve ${server}), ` +
    `or the user's own entry of the server ${server} says policy = "allow".`
  );
}
