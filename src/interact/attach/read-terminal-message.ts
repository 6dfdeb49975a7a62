import { questionOtherCharsMax } from "../../base/limits.ts";
import type { Answer } from "../../tools/question-service.ts";
import type { TerminalMessage, TerminalReply } from "./messages.ts";

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

/** Of each type, what reads the fields of such a message. */
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

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= questionOtherCharsMax;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
