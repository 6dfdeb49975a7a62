import { runsCommand } from "../../base/command-tools.ts";
import { AppError } from "../../base/errors.ts";
import type { CallRequest, ToolTarget } from "../call.ts";
import type { CallEnd, CallWatcher, GateStage, Refusal } from "../gate/gate-stage.ts";
import { ruleNamesOf } from "../upstream/rule-names.ts";
import { workspaceDirOf } from "../workspace-dir.ts";
import { CallConsent, type CallConsentParts, type Agreement } from "./consent/call-consent.ts";
import { refusalText } from "./consent/refusal-text.ts";
import { judgeCall, type JudgeParts } from "./rules/judge-call.ts";
import { withProject } from "./rules/project-policies.ts";
import type { Policy } from "./rules/rule.ts";
import { allowed, type Verdict } from "./rules/verdict.ts";

export interface PolicyStageParts extends CallConsentParts, Omit<JudgeParts, "folder"> {
  /** The rules as they are now. */
  readonly policy: () => Policy;
  /** The rules of the project in which a client works that says where it does. */
  readonly policyAt?: (folder: string) => Policy;
}

/** Why a call was or was not made, for the audit log. */
export interface Decision {
  readonly rule: string | undefined;
  readonly agreement: Agreement | undefined;
}

/** Holds every call against the rules; asks the user where they say so. */
export class PolicyStage implements GateStage, CallWatcher {
  readonly #parts: PolicyStageParts;
  readonly #consent: CallConsent;
  readonly #verdicts = new WeakMap<CallRequest, Verdict>();

  constructor(parts: PolicyStageParts) {
    this.#parts = parts;
    this.#consent = new CallConsent(parts);
  }

  mayObject(call: CallRequest): boolean {
    const { policy, policyAt } = this.#parts;
    const isOfProject = policyAt !== undefined && call.client.roots !== undefined;
    return isOfProject || !this.#isWithoutRules(policy(), call);
  }

  /** @throws InputNeeded to be let through */
  check(call: CallRequest): Promise<Refusal | undefined> | undefined {
    const { policy, policyAt } = this.#parts;
    if (policyAt === undefined || call.client.roots === undefined)
      return this.#checkAgainst(policy(), call);
    return this.#checkInProject(call, policyAt);
  }

  /** The rules of both projects count: a client cannot choose none, and a project may only tighten. */
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
      otherNames: ruleNamesOf(target),
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
    return (
      serverPolicyOf(call) === undefined &&
      policy.rules.length + policy.defaults.length + policy.problems.length === 0 &&
      !(this.#parts.warnsOfDanger && runsCommand(call.name))
    );
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

  /** Of a call that was checked. */
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

/** What the user's entry of a server says of calls to it. */
function serverPolicyOf({ target }: CallRequest): ToolTarget["rights"]["policy"] {
  return target?.kind === "tool" ? target.rights.policy : undefined;
}

/** What cannot be judged is not done. */
function refusalOfFailure(error: unknown): Refusal {
  if (!(error instanceof AppError) || error.code === "cancelled") throw error;
  return {
    decision: "denied",
    text: `Not run: the rules could not be held against it: ${error.message}`,
  };
}
