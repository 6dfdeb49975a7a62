import { metaKeys, modernVersion } from "./messages.ts";
import { hasSchemas, schemaOf } from "./schemas.ts";
import { notificationType, replyType, resultType, type WireType } from "./wire-types.ts";

type Json = Readonly<Record<string, unknown>>;

interface SentRequest {
  readonly method: string;
  readonly isModern: boolean;
  /** How often this id was used, and answered. */
  readonly sent: number;
  readonly replies: number;
}

type Entry =
  | { readonly kind: "sent"; readonly value: unknown }
  | { readonly kind: "received"; readonly text: string };

/**
 * Watches one conversation and knows what was wrong with it: messages that the schema of their revision does not
 * allow, replies that nobody asked for a second time, fields of the other era, ids that are null.
 * Messages are kept and looked at in the end, so that the look takes no time from what is being tested.
 */
export class WireCheck {
  readonly #log: Entry[] = [];
  readonly #requests = new Map<string, SentRequest>();
  /** Whether the request of a progress token is modern. */
  readonly #tokens = new Map<unknown, boolean>();
  #sessionVersion: string | undefined;
  readonly #faults: string[] = [];

  /** @param sessionVersion what was negotiated before, if anything */
  constructor(sessionVersion?: string) {
    this.#sessionVersion = sessionVersion;
  }

  /** A value that the client sends: a message, a batch, or anything else. */
  sent(value: unknown): void {
    this.#log.push({ kind: "sent", value });
  }

  /** The text of a message of the server, or of a batch. */
  received(text: string): void {
    this.#log.push({ kind: "received", text });
  }

  /** What was wrong so far. */
  faults(): readonly string[] {
    for (const entry of this.#log.splice(0)) {
      if (entry.kind === "sent")
        for (const message of elementsOf(entry.value)) this.#takeSent(message);
      else for (const message of this.#parse(entry.text)) this.#takeReceived(message);
    }
    return this.#faults;
  }

  /** @throws Error that lists what was wrong */
  assertClean(): void {
    const faults = this.faults();
    if (faults.length === 0) return;
    throw new Error(`the server broke the protocol:\n${faults.slice(0, 20).join("\n")}`);
  }

  #parse(text: string): readonly unknown[] {
    try {
      return elementsOf(JSON.parse(text));
    } catch {
      this.#faults.push(`${text.slice(0, 300)} is no JSON`);
      return [];
    }
  }

  #takeSent(message: unknown): void {
    if (!isObject(message) || typeof message["method"] !== "string") return;
    const { id, method, params } = message;
    const meta = metaOf(params);
    const isModern = metaKeys.version in meta || metaKeys.capabilities in meta;
    if ("progressToken" in meta) this.#tokens.set(meta["progressToken"], isModern);
    if (id === undefined) return;
    const key = keyOf(id);
    const known = this.#requests.get(key);
    const counts = { sent: (known?.sent ?? 0) + 1, replies: known?.replies ?? 0 };
    this.#requests.set(key, { method, isModern, ...counts });
  }

  #takeReceived(message: unknown): void {
    if (!isObject(message)) return this.#blame(message, "is no object");
    if (message["id"] === null) return this.#blame(message, "has an id that is null");
    const { method } = message;
    if (typeof method === "string") this.#takeCall(message, method);
    else this.#takeReply(message);
  }

  #takeCall(message: Json, method: string): void {
    // Of an experimental capability, which schemas do not know.
    if (method === "notifications/claude/channel") return;
    const version = this.#versionOf(message, method);
    if (message["id"] === undefined) return this.#judge(notificationType(version, method), message);
    if (version === modernVersion)
      return this.#blame(message, "is a request: modern servers send none");
    this.#judge({ schema: version, name: "ServerRequest" }, message);
  }

  #takeReply(message: Json): void {
    const { id, result, error } = message;
    const key = keyOf(id);
    const request = this.#requests.get(key);
    if (request?.method === "initialize" && isObject(result)) {
      this.#sessionVersion = String(result["protocolVersion"]);
    }
    // What was sent as raw bytes is not known here: its result tells the era.
    const version = this.#versionFor(
      request?.isModern ?? (isObject(result) && "resultType" in result),
    );
    if (request !== undefined) {
      this.#requests.set(key, { ...request, replies: request.replies + 1 });
      if (request.replies >= request.sent) this.#blame(message, "answers an id once more");
    }
    // An error without a readable id has none, in all revisions (SH10).
    const whole = error !== undefined && id === undefined ? { ...message, id: 0 } : message;
    this.#judge(replyType(version, error !== undefined), whole);
    if (!isObject(result)) return;
    this.#judge(resultType(request?.method, version, result), result);
    if (version !== modernVersion) this.#judgeLegacyFields(message, result);
  }

  /** Fields of the modern era that no legacy result has (SH4). */
  #judgeLegacyFields(message: Json, result: Json): void {
    const stray = ["resultType", "ttlMs", "cacheScope"].filter((key) => key in result);
    if (metaKeys.serverInfo in metaOf(result)) stray.push(metaKeys.serverInfo);
    if (stray.length > 0) this.#blame(message, `has ${stray.join(", ")} in a legacy result`);
  }

  #versionOf({ params }: Json, method: string): string {
    if (!isObject(params)) return this.#versionFor(undefined);
    if (metaKeys.subscription in metaOf(params)) return modernVersion;
    if (method === "notifications/progress") {
      return this.#versionFor(this.#tokens.get(params["progressToken"]));
    }
    if (method === "notifications/cancelled") {
      return this.#versionFor(this.#requests.get(keyOf(params["requestId"]))?.isModern);
    }
    return this.#versionFor(undefined);
  }

  /** What is not known to be of one era belongs to the session, if there is one. */
  #versionFor(isModern: boolean | undefined): string {
    if (isModern === true) return modernVersion;
    return this.#sessionVersion ?? (isModern === false ? "2025-11-25" : modernVersion);
  }

  #judge({ schema, name }: WireType, value: unknown): void {
    if (!hasSchemas) return;
    const fault = schemaOf(schema).faultIn(name, value);
    if (fault !== undefined) this.#blame(value, `is not valid in ${schema}: ${fault}`);
  }

  #blame(message: unknown, fault: string): void {
    this.#faults.push(`${JSON.stringify(message).slice(0, 300)} ${fault}`);
  }
}

/** A batch's messages, or the one message. */
function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function metaOf(params: unknown): Json {
  const meta = isObject(params) ? params["_meta"] : undefined;
  return isObject(meta) ? meta : {};
}

/** `1` and `"1"` are two ids. */
function keyOf(id: unknown): string {
  return JSON.stringify(id) ?? "none";
}
