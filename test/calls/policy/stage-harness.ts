import { Cancellation } from "../../../src/base/cancellation.ts";
import type { CallRequest } from "../../../src/calls/call.ts";
import type { CallEnd, Refusal } from "../../../src/calls/gate/gate-stage.ts";
import { PolicyStage } from "../../../src/calls/policy/policy-stage.ts";
import { parsePolicy } from "../../../src/calls/policy/rules/parse-policy.ts";
import type { QuestionsReply, QuestionsRequest } from "../../../src/tools/state-services.ts";

const through: CallEnd = { decision: "allowed", outcome: "result", durationMs: 1 };

/** A `PolicyStage` with rules of a test, and what it asks. */
export class StageHarness {
  readonly requests: QuestionsRequest[] = [];
  readonly asked: string[] = [];
  reply: QuestionsReply | Error = { outcome: "unavailable" };
  sandbox: string | undefined;
  readonly stage: PolicyStage;

  constructor(rules: readonly object[], warnsOfDanger = false) {
    const policy = parsePolicy(JSON.stringify({ rules }), "P", "user");
    this.stage = new PolicyStage({
      policy: () => policy,
      questions: () => ({
        ask: (request) => {
          const { questions, purpose } = request;
          this.requests.push(request);
          this.asked.push(`${purpose}: ${questions[0]?.question}`);
          return this.reply instanceof Error
            ? Promise.reject(this.reply)
            : Promise.resolve(this.reply);
        },
      }),
      sandboxOf: () => Promise.resolve(this.sandbox),
      homeDir: "/home/me",
      warnsOfDanger,
      ignoresCase: false,
      shell: "bash",
      searchPath: () => Promise.resolve([]),
    });
  }

  request(
    command: string,
    more: { folder?: string; clientId?: string; name?: string; args?: object } = {},
  ): CallRequest {
    const { folder = "/work", clientId = "c", name = "Bash", args = { command } } = more;
    const limits = { answerMs: 0, resultCharsMax: 1000 };
    const client = { id: clientId, limits, workspaceDir: () => Promise.resolve(folder) };
    return { name, args, version: "2025-11-25", client, cancellation: new Cancellation() };
  }

  async check(...input: Parameters<StageHarness["request"]>): Promise<Refusal | undefined> {
    return this.stage.check(this.request(...input));
  }

  /** A call that goes through if nothing is against it; how it was decided. */
  async call(...input: Parameters<StageHarness["request"]>): Promise<string> {
    const call = this.request(...input);
    const refusal = await this.stage.check(call);
    const decision = this.stage.decisionOn(call).agreement ?? "no consent";
    this.stage.ended(
      call,
      refusal === undefined ? through : { decision: refusal.decision, durationMs: 1 },
    );
    return refusal === undefined ? decision : refusal.decision;
  }
}
