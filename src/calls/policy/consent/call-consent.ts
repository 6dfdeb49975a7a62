import { AppError } from "../../../base/errors.ts";
import { consentShownCharsMax, consentsKeptMax } from "../../../base/limits.ts";
import { canonicalJson } from "../../../base/values.ts";
import type { QuestionsReply, QuestionsRequest } from "../../../tools/state-services.ts";
import type { CallRequest } from "../../call.ts";
import type { Refusal } from "../../gate/gate-stage.ts";
import { type StateServices, workspaceDirOf } from "../../state-calls.ts";
import { cautionRule } from "../rules/cautions.ts";
import { type Cause, causesOf, commandOf, type Verdict } from "../rules/rule.ts";
import { shownFact, shownLines, sizeText } from "./shown-text.ts";

export interface CallConsentParts {
  readonly questions: () => StateServices["questions"];
  /** The sandbox in which the command would run, as a clause; undefined = none. */
  readonly sandboxOf?: (call: CallRequest, cwd: string) => Promise<string | undefined>;
}

/** How the user has agreed to a call. */
export type Agreement = "once" | "session" | "earlier";

const options = { once: "Allow once", session: "Allow for this session", deny: "Deny" } as const;

/** Asks the user whether a call may be made, and remembers consent for the session. */
export class CallConsent {
  readonly #parts: CallConsentParts;
  /** Digests of calls; never written down. */
  readonly #granted = new Set<string>();
  /** Allowed for the session, if the call goes through. */
  readonly #granting = new WeakMap<CallRequest, string>();
  readonly #agreements = new WeakMap<CallRequest, Agreement>();

  constructor(parts: CallConsentParts) {
    this.#parts = parts;
  }

  /** Undefined when the user agrees. @throws InputNeeded to be let through */
  async ask(call: CallRequest, verdict: Verdict): Promise<Refusal | undefined> {
    const about = await this.#about(call);
    const key = digestOf(call, about);
    if (this.#granted.has(key)) {
      this.#agreements.set(call, "earlier");
      return undefined;
    }
    const reply = await this.#reply(call, requestFor(about, call.name, verdict));
    const choice = reply.outcome === "answered" ? reply.answers[0]?.labels[0] : undefined;
    if (choice !== options.once && choice !== options.session) {
      return refusalOf(call, verdict, reply);
    }
    this.#agreements.set(call, choice === options.session ? "session" : "once");
    if (choice === options.session) this.#granting.set(call, key);
    return undefined;
  }

  /** Undefined when the user was not asked, or did not agree. */
  agreementTo(call: CallRequest): Agreement | undefined {
    return this.#agreements.get(call);
  }

  /**
   * The call has gone through: its consent holds from now on, and not before. A client that comes back with
   * answers is asked the same questions in the same order, this one included.
   */
  wentThrough(call: CallRequest): void {
    const key = this.#granting.get(call);
    if (key === undefined) return;
    const [oldest] = this.#granted;
    if (this.#granted.size >= consentsKeptMax && oldest !== undefined) this.#granted.delete(oldest);
    this.#granted.add(key);
  }

  async #reply(call: CallRequest, request: QuestionsRequest): Promise<QuestionsReply> {
    try {
      const asking = { call, answerAt: call.answerAt, hasActed: false };
      return await this.#parts.questions().ask(request, asking);
    } catch (error) {
      // A user who cannot be asked has not agreed; errors other than AppError are handled elsewhere.
      if (error instanceof AppError && error.code !== "cancelled")
        return { outcome: "unavailable" };
      throw error;
    }
  }

  async #about(call: CallRequest): Promise<About> {
    const cwd = await workspaceDirOf(call.client);
    const command = commandOf({ tool: call.name, args: call.args });
    if (command === undefined) {
      const what = JSON.stringify(call.args ?? {}, undefined, 2);
      return { cwd, command, what, sandbox: undefined };
    }
    const sandbox =
      (await this.#parts.sandboxOf?.(call, cwd)) ?? "none, it may do all that you may";
    return { cwd, command, what: command, sandbox };
  }
}

/** For a model: why its call was not made, and its options now. */
export function refusalText(
  toolName: string,
  verdict: Verdict,
  outcome: QuestionsReply["outcome"] | "forbidden",
  isBuiltIn: boolean,
): string {
  return [`${toolName} was not run: ${because(verdict)}`, ...next(outcome, isBuiltIn)].join(" ");
}

/** The rule and why it is there, as far as they are known. */
function causeText({ rule, reason }: Cause): string {
  return [rule, reason].filter((text) => text !== undefined).join(": ");
}

function because(verdict: Verdict): string {
  const [worst = "", ...others] = causesOf(verdict).map(causeText);
  if (worst === "") return "the policy of this machine.";
  // Reasons in files of rules are often whole sentences.
  const texts = [worst, ...others.slice(0, othersToldMax)].map((text) => text.replace(/\.$/, ""));
  return `${texts.join("; ")}.`;
}

/** Reasons that are shown besides the worst one. */
const othersToldMax = 4;

const another = "Do not try to reach the same in another way: tell the user what you need it for.";

function next(
  outcome: QuestionsReply["outcome"] | "forbidden",
  isBuiltIn: boolean,
): readonly string[] {
  switch (outcome) {
    case "forbidden":
      return ["The rules of the user or the project forbid it.", another];
    case "answered":
    case "declined":
    case "cancelled":
      return ["The user was asked and said no.", another];
    case "timed_out":
      return [
        "The user was asked and did not answer in time. Call it again when the user is there.",
      ];
    case "pending":
      return [
        "The user has been asked and has not answered yet. Make the same call again to hear the answer.",
      ];
    case "unavailable":
      return [
        "It needs the user's consent, and this client cannot ask the user.",
        remedy(isBuiltIn),
      ];
  }
}

function remedy(isBuiltIn: boolean): string {
  return isBuiltIn
    ? "The user can open `scorpiox-code attach` on the machine of this client to be asked there, run it themselves, allow it by a rule in ~/.scorpiox/policy.jsonc, or switch these cautions off with POLICY_CAUTIONS=false in ~/.scorpiox/scorpiox-env.txt."
    : "The user can open `scorpiox-code attach` on the machine of this client to be asked there, run it themselves, or change the rule.";
}

/** The subject of a consent. */
interface About {
  readonly cwd: string;
  /** Undefined for a call that runs none; so is `sandbox`. */
  readonly command: string | undefined;
  readonly what: string;
  readonly sandbox: string | undefined;
}

function requestFor(
  { cwd, command, what, sandbox }: About,
  tool: string,
  verdict: Verdict,
): QuestionsRequest {
  const lines = [
    command === undefined ? `Call the tool ${shownFact(tool)}?` : `Run this command with ${tool}?`,
    "",
    `Folder: ${shownFact(cwd)}`,
    ...(sandbox === undefined ? [] : [`Sandbox: ${shownFact(sandbox)}`]),
    ...reasonLines(causesOf(verdict)),
    "",
    `${command === undefined ? "Arguments" : "Command"} (${sizeText(what)}):`,
    ...shownLines(what, consentShownCharsMax),
  ];
  const labels = Object.values(options).map((label) => ({ label, description: null }));
  const question = {
    question: lines.join("\n"),
    header: null,
    options: labels,
    multiSelect: false,
    preselected: options.deny,
  };
  return { purpose: "consent", questions: [question] };
}

/** More than a command has that somebody means; of a flood of them the worst. */
const reasonsShownMax = 40;

/** All that is to be known, the worst first. */
function reasonLines(causes: readonly Cause[]): readonly string[] {
  const [only] = causes;
  if (causes.length === 1 && only !== undefined) {
    return [
      ...(only.rule === undefined ? [] : [`Asked because of: ${shownFact(only.rule)}`]),
      ...(only.reason === undefined ? [] : [`Reason: ${shownFact(only.reason)}`]),
    ];
  }
  const more = causes.length - reasonsShownMax;
  return [
    "Asked because of:",
    ...causes
      .slice(0, reasonsShownMax)
      .map((cause, index) => `${index + 1}. ${shownFact(causeText(cause))}`),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

function refusalOf(call: CallRequest, verdict: Verdict, reply: QuestionsReply): Refusal {
  const decision = reply.outcome === "pending" ? "pending" : "denied";
  const isBuiltIn = causesOf(verdict).every(({ rule }) => rule === cautionRule);
  return { decision, text: refusalText(call.name, verdict, reply.outcome, isBuiltIn) };
}

/**
 * Commands by their text: a different timeout is the same command. Consent holds for one client alone, and consent to
 * a command in a sandbox does not hold for the same command without it.
 */
function digestOf({ client, name, args }: CallRequest, { cwd, command, sandbox }: About): string {
  const about = canonicalJson([client.id, name, command ?? args ?? {}, cwd, sandbox ?? null]);
  return new Bun.CryptoHasher("sha256").update(about).digest("base64url");
}
