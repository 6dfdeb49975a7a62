import { hookReasonCharsMax } from "../../../base/limits.ts";
import { escapeUnsafe } from "../../../base/unsafe-characters.ts";
import { isObject, parseOwnJson, jsonOrNothing } from "../../../base/values.ts";
import type { Params } from "../../../protocol/json-rpc.ts";
import type { ProtocolVersion } from "../../../protocol/message.ts";
import { encodeCallToolResult, withStructureAsText } from "../../../protocol/result-codec.ts";
import type { CallToolResult, ContentBlock } from "../../../protocol/tool-types.ts";
import type { CallRequest } from "../../call.ts";
import type { Amendment, Refusal, ResultChange } from "../../gate/gate-stage.ts";
import { strictest, type Verdict } from "../rules/rule.ts";
import { type Heeded, type Hook, type HookEnd, hookKey, shortOutput } from "./hook.ts";

/** The JSON answer about a call on the output of a hook that was waited for and succeeded. */
interface HookAnswer {
  /** Absent, like `allow`: it has nothing against the call. */
  readonly decision?: "allow" | "ask" | "deny";
  readonly reason?: string;
  /** The arguments that the tool gets instead. */
  readonly updatedArguments?: Params;
  /** After the call: the result that the client gets instead. */
  readonly updatedResult?: Params;
}

type HookReading =
  /** It wrote nothing, or something for people. */
  | { readonly kind: "silent" }
  | { readonly kind: "answer"; readonly answer: HookAnswer }
  /** It was meant as an answer and cannot be used. `how` completes "the hook …". */
  | { readonly kind: "unusable"; readonly how: string };

const answerMembers = ["decision", "reason", "updated_arguments", "updated_result"] as const;
const silent: HookReading = { kind: "silent" };

/** Reads the output of a hook: an object of JSON, alone or in the last line, that has one of the four members. */
function readHookAnswer({ output, isCut }: HookEnd): HookReading {
  const found = answerIn(output);
  if (found !== undefined) return checked(found);
  // Half an answer could be the one that says no.
  if (isCut === true && output.startsWith("{")) return unusable("wrote an answer that is too long");
  return silent;
}

function answerIn(output: string): Params | undefined {
  const lastLine = output.slice(output.lastIndexOf("\n") + 1);
  for (const text of [output, lastLine]) {
    const value = text.startsWith("{") ? jsonOrNothing(text) : undefined;
    if (isObject(value) && answerMembers.some((key) => Object.hasOwn(value, key))) return value;
  }
  return undefined;
}

function checked(value: Params): HookReading {
  const { decision, reason, updated_arguments: args, updated_result: result } = value;
  if (!isDecision(decision)) return unusable('has a decision that is not "allow", "ask" or "deny"');
  if (args !== undefined && !isObject(args)) return unusable("has updated_arguments of no object");
  if (result !== undefined && !isObject(result))
    return unusable("has an updated_result of no object");
  const answer: HookAnswer = {
    ...(decision === undefined ? {} : { decision }),
    ...(typeof reason === "string" ? { reason } : {}),
    ...(args === undefined ? {} : { updatedArguments: args }),
    ...(result === undefined ? {} : { updatedResult: result }),
  };
  return { kind: "answer", answer };
}

function isDecision(value: unknown): value is HookAnswer["decision"] {
  return value === undefined || value === "allow" || value === "ask" || value === "deny";
}

function unusable(how: string): HookReading {
  return { kind: "unusable", how };
}

/** Why a hook that ended well is against a call. */
export interface Objection {
  /** Completes "the hook …". */
  readonly how: string;
  readonly reason: string;
}

/** The warning about a hook that ran after the call. */
function warningOf(hook: Hook, how: string, reason: string): string {
  const text = sentenceOf(hook, `${how} after the call`);
  return withReason(`Warning: ${text}`, reason);
}

function failureText(hook: Hook, { how, output }: HookEnd): string {
  return warningOf(hook, how, output);
}

export function sentenceOf(hook: Hook, how: string): string {
  return `the hook ${escapeUnsafe(hookKey(hook))} (${hook.scope}) ${escapeUnsafe(how)}.`;
}

export function withReason(text: string, reason: string): string {
  if (reason === "") return text;
  return `${text} It says:\n${escapeUnsafe(shortOutput(reason, hookReasonCharsMax))}`;
}

/** The answers of hooks before a call is made: the strictest decision is used, and the last arguments. */
export class HeardBefore {
  /** As the next hook is to see them. */
  args: unknown;
  isChanged = false;
  /** The verdict of the first hook that wants the user to be asked. */
  asks: Verdict | undefined;
  /** The objection of the hook that stopped the call although it ended well. */
  objection: Objection | undefined;

  constructor(args: unknown) {
    this.args = args;
  }

  readonly heed = (hook: Hook, end: HookEnd): Heeded => {
    if (end.state !== "done") return "stop";
    const reading = readHookAnswer(end);
    if (reading.kind === "silent") return "go-on";
    if (reading.kind === "unusable") {
      this.objection = { how: reading.how, reason: "" };
      return "stop";
    }
    const { decision, reason, updatedArguments } = reading.answer;
    if (decision === "deny") {
      this.objection = { how: "denied it", reason: reason ?? "" };
      return "stop";
    }
    if (decision === "ask") {
      const rule = `the hook ${hookKey(hook)} (${hook.scope})`;
      this.asks = strictest([
        ...(this.asks === undefined ? [] : [this.asks]),
        { action: "ask", rule, reason },
      ]);
    }
    if (updatedArguments === undefined) return "go-on";
    this.args = updatedArguments;
    this.isChanged = true;
    return "changed";
  };
}

/** The result of a call as the client would get it, in the shape of `version`. */
interface SentResult {
  readonly json: string;
  /** Its data, where the client does not get that. */
  readonly dataJson?: string | undefined;
  /** The result is of scorpiox-code's own tool; clients get its data only where it sends data itself. */
  readonly isOwn: boolean;
  readonly version: ProtocolVersion;
}

/** The answers of hooks about the result of a call. It is too late to stop anything: objections become warnings. */
export class HeardAfter {
  readonly #lines: string[] = [];
  readonly #version: ProtocolVersion;
  readonly #isOwn: boolean;
  #json: string;
  #dataJson: string | undefined;
  #isChanged = false;

  constructor({ json, dataJson, isOwn, version }: SentResult) {
    this.#json = json;
    this.#dataJson = dataJson;
    this.#isOwn = isOwn;
    this.#version = version;
  }

  /** As the next hook is to see it: whole, with the data. */
  get result(): unknown {
    const sent = this.#sent();
    if (this.#dataJson === undefined || "structuredContent" in sent) return sent;
    return { ...sent, structuredContent: JSON.parse(this.#dataJson) as unknown };
  }

  get look(): ResultChange {
    if (!this.#isChanged) return { lines: this.#lines };
    const data = this.#dataJson === undefined ? {} : { dataJson: this.#dataJson };
    return { lines: this.#lines, json: this.#json, ...data };
  }

  #sent(): Params {
    return parseOwnJson(this.#json);
  }

  readonly heed = (hook: Hook, end: HookEnd): Heeded => {
    if (end.state === "cancelled") return "stop";
    if (end.state !== "done") {
      this.#lines.push(failureText(hook, end));
      return "go-on";
    }
    const reading = readHookAnswer(end);
    if (reading.kind === "silent") return "go-on";
    if (reading.kind === "unusable") {
      this.#lines.push(warningOf(hook, reading.how, ""));
      return "go-on";
    }
    const { decision, reason = "", updatedResult } = reading.answer;
    if (decision === "deny" || decision === "ask") {
      this.#lines.push(warningOf(hook, `said "${decision}"`, reason));
    }
    return updatedResult === undefined ? "go-on" : this.#update(hook, updatedResult);
  };

  #update(hook: Hook, updated: Params): Heeded {
    const result = checkedResult(updated);
    if (result === undefined) {
      this.#lines.push(warningOf(hook, "gave an invalid result", ""));
      return "go-on";
    }
    const isTextOnly = this.#isOwn && !("structuredContent" in this.#sent());
    this.#json = encodeCallToolResult(isTextOnly ? this.#asText(result) : result, this.#version);
    this.#isChanged = true;
    return "changed";
  }

  /** The data goes to programs, and to the client only where the hook has left it nothing else. */
  #asText(result: CallToolResult): CallToolResult {
    const { structuredContent, ...sent } = result;
    if (structuredContent === undefined) return sent;
    this.#dataJson = JSON.stringify(structuredContent);
    return result.content.length > 0 ? sent : { ...sent, content: withStructureAsText(result) };
  }
}

function checkedResult({
  content,
  isError,
  structuredContent,
  _meta,
}: Params): CallToolResult | undefined {
  const isFlag = isError === undefined || typeof isError === "boolean";
  if (!Array.isArray(content) || !content.every(isBlock) || !isFlag) return undefined;
  return {
    content,
    isError: isError === true,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isObject(_meta) ? { _meta } : {}),
  };
}

/** The user wrote the hook: only a block that would make the result invalid is kept from clients. */
function isBlock(block: unknown): block is ContentBlock {
  if (!isObject(block)) return false;
  switch (block.type) {
    case "text":
      return typeof block.text === "string";
    case "image":
    case "audio":
      return typeof block.data === "string" && typeof block.mimeType === "string";
    case "resource":
      return isObject(block.resource) && typeof block.resource.uri === "string";
    case "resource_link":
      return typeof block.uri === "string" && typeof block.name === "string";
    default:
      return false;
  }
}

/** The further requests of hooks that have let a call through. */
interface Said {
  readonly args?: Params;
  readonly asks?: Verdict;
}

const saidMark = "hooks:";

/** Their answers in an earlier round of the call, from the sealed state that its client has returned. */
export function saidEarlier({ ask }: CallRequest): Said | undefined {
  const [text] = ask?.marksWith?.(saidMark) ?? [];
  // Only this program can have sealed it.
  return text === undefined ? undefined : parseOwnJson(text);
}

/** Their answers now, marked for later rounds. */
export function saidNow({ ask }: CallRequest, { asks, args, isChanged }: HeardBefore): Said {
  const said: Said = {
    ...(isChanged && isObject(args) ? { args } : {}),
    ...(asks === undefined ? {} : { asks }),
  };
  ask?.mark?.(saidMark + JSON.stringify(said));
  return said;
}

export function amendmentOf(
  { args, asks }: Said,
  confirm: (call: CallRequest, verdict: Verdict) => Promise<Refusal | undefined>,
): Amendment | undefined {
  if (args === undefined && asks === undefined) return undefined;
  return {
    ...(args === undefined ? {} : { args }),
    ...(asks === undefined ? {} : { confirm: (meant) => confirm(meant, asks) }),
  };
}
