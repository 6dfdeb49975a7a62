import { questionOtherCharsMax } from "../../base/limits.ts";
import type { BackgroundStatus } from "../../base/shown-state.ts";
import { isObject } from "../../base/values.ts";
import type { Answer } from "../../tools/state-services.ts";
import type { GoneReason, ShownQuestions, TerminalReply } from "../questions/terminals.ts";

/** The two sides speak when they have the same number; it changes with any message that the other would misread. */
export const attachProtocol = 1;

/** Whose something is: a client identity, shortened. Session ids are secrets and do not leave the server. */
export type ClientKey = string;

export interface InstanceFacts {
  /** The first characters of the instance id. */
  readonly serverId: string;
  readonly pid: number;
  readonly version: string;
  /** `stdio`, or `http` with the address. */
  readonly transport: string;
  /** Milliseconds since 1970, as every time here. */
  readonly startedAt: number;
}

export interface ClientEntry {
  readonly client: ClientKey;
  /** The folder that it works in, or the name that `--workspace` gives it. */
  readonly workspace: string;
  /** Over HTTP the principal; empty for the user of this machine. */
  readonly owner: string;
}

/** A background task. A running one is as old as its start says. */
export interface BackgroundEntry extends BackgroundStatus {
  readonly client: ClientKey;
  readonly taskId: number;
  readonly command: string;
  readonly startedAt: number;
}

export interface CallbackEntry {
  readonly client: ClientKey;
  readonly callbackId: number;
  readonly message: string;
  readonly delaySeconds: number;
  readonly nextFireAt: number;
  /** -1 = forever. */
  readonly firesLeft: number;
}

export interface PlanEntry {
  readonly active: boolean;
  readonly goal: string | null;
  readonly planFile: string | null;
  readonly startedAt: number | null;
}

interface StepEntry {
  readonly stepId: number;
  readonly text: string;
  readonly isDone: boolean;
}

export interface TaskEntry {
  readonly taskId: number;
  readonly text: string;
  readonly isDone: boolean;
  /** Not all of them when there are many. */
  readonly steps: readonly StepEntry[];
  readonly stepCount: number;
  readonly stepsDone: number;
}

/** Tasks and plan of one workspace and one owner. */
export interface WorkEntry {
  readonly workspace: string;
  readonly owner: string;
  readonly tasks: readonly TaskEntry[];
  readonly currentTaskId: number | null;
  readonly total: number;
  readonly pending: number;
  /** null if it is not available. */
  readonly plan: PlanEntry | null;
}

/** The hub that the server uses: the process that runs MCP servers and kept tasks for all clients of the user. */
export interface HubEntry {
  readonly pid: number;
  /** The MCP servers that it runs for this server. */
  readonly servers: readonly HubServerEntry[];
  /** Kept tasks of all workspaces that are running. */
  readonly kept: number;
}

interface HubServerEntry {
  readonly name: string;
  readonly state: string;
  /** Processes of scorpiox-code that share it. */
  readonly clients: number;
}

/** All that a server holds, with the texts cut. */
export interface InstanceState {
  readonly clients: readonly ClientEntry[];
  readonly background: readonly BackgroundEntry[];
  readonly callbacks: readonly CallbackEntry[];
  readonly work: readonly WorkEntry[];
  /** Absent while it uses none; older servers never have it. */
  readonly hub?: HubEntry;
}

/** New output of the task that is watched. */
export interface OutputPiece {
  readonly client: ClientKey;
  readonly taskId: number;
  /** True for the first piece after `watch`: what was shown before is not continued. */
  readonly isFirst: boolean;
  /** Whole lines. */
  readonly text: string;
  /** The line that is not ended yet; it comes again, longer. */
  readonly partial: string;
  /** Bytes before `text` that are not shown. */
  readonly skippedBytes: number;
  readonly isEnded: boolean;
}

/** A message from a server to a terminal. */
export type ServerMessage =
  | { readonly type: "hello"; readonly protocol: number; readonly server: InstanceFacts }
  /** It cannot be the terminal of a person; the connection ends. */
  | { readonly type: "refused"; readonly reason: string }
  | { readonly type: "state"; readonly state: InstanceState }
  | { readonly type: "question"; readonly number: number; readonly question: ShownQuestions }
  | { readonly type: "question_gone"; readonly number: number; readonly reason: GoneReason }
  | { readonly type: "output"; readonly output: OutputPiece }
  /** The outcome of `kill` and `cancel_callback`. */
  | { readonly type: "done"; readonly request: number; readonly error: string | null };

/** A message from a terminal to a server. */
export type TerminalMessage =
  /** The first one. `look` is for lists: nobody sits there who could answer a question. */
  | {
      readonly type: "attach";
      readonly protocol: number;
      readonly key: string;
      readonly mode: "terminal" | "look";
    }
  | { readonly type: "answer"; readonly number: number; readonly reply: TerminalReply }
  | { readonly type: "watch"; readonly client: ClientKey; readonly taskId: number }
  | { readonly type: "unwatch" }
  | {
      readonly type: "kill";
      readonly request: number;
      readonly client: ClientKey;
      readonly taskId: number;
    }
  | {
      readonly type: "cancel_callback";
      readonly request: number;
      readonly client: ClientKey;
      readonly callbackId: number;
    };

type Fields = Readonly<Record<string, unknown>>;

/** Four questions with ten options each are the most that is asked. */
const answersMax = 16;
const labelsMax = 32;

/**
 * The message in a terminal's line; undefined for an invalid one. By hand, since a schema library takes longer to load than
 * everything else here.
 */
export function readTerminalMessage(line: string): TerminalMessage | undefined {
  const value = parseObject(line);
  if (value === undefined) return undefined;
  const { type } = value;
  return isMessageType(type) ? readers[type](value) : undefined;
}

type MessageType = TerminalMessage["type"];

/** The function for each type of message that reads its fields. */
const readers: Readonly<Record<MessageType, (fields: Fields) => TerminalMessage | undefined>> = {
  attach({ protocol, key, mode }) {
    if (!isCount(protocol) || typeof key !== "string") return undefined;
    if (mode !== "terminal" && mode !== "look") return undefined;
    return { type: "attach", protocol, key, mode };
  },
  answer({ number, reply: written }) {
    const reply = readReply(written);
    return isCount(number) && reply !== undefined ? { type: "answer", number, reply } : undefined;
  },
  watch({ client, taskId }) {
    return isText(client) && isCount(taskId) ? { type: "watch", client, taskId } : undefined;
  },
  unwatch() {
    return { type: "unwatch" };
  },
  kill({ request, client, taskId }) {
    if (!isCount(request) || !isText(client) || !isCount(taskId)) return undefined;
    return { type: "kill", request, client, taskId };
  },
  cancel_callback({ request, client, callbackId }) {
    if (!isCount(request) || !isText(client) || !isCount(callbackId)) return undefined;
    return { type: "cancel_callback", request, client, callbackId };
  },
};

function isMessageType(value: unknown): value is MessageType {
  return typeof value === "string" && Object.hasOwn(readers, value);
}

function parseObject(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readReply(value: unknown): TerminalReply | undefined {
  if (!isObject(value)) return undefined;
  const { kind, answers } = value;
  if (kind === "declined" || kind === "cancelled") return { kind };
  if (kind !== "answered" || !Array.isArray(answers) || answers.length > answersMax) {
    return undefined;
  }
  const read = answers.map(readAnswer).filter((answer) => answer !== undefined);
  return read.length === answers.length ? { kind, answers: read } : undefined;
}

function readAnswer(value: unknown): Answer | undefined {
  if (!isObject(value)) return undefined;
  const { labels, other } = value;
  if (other !== null && !isText(other)) return undefined;
  if (!Array.isArray(labels) || labels.length > labelsMax || !labels.every(isText)) {
    return undefined;
  }
  return { labels, other };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= questionOtherCharsMax;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
