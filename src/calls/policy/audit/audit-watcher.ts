import { setImmediate as nextTurn } from "node:timers/promises";

import { auditCommandCharsMax, auditDigestCharsAtOnce } from "../../../base/limits.ts";
import { hideInText, saysSecret } from "../../../base/secrets.ts";
import { escapeJson } from "../../../base/unsafe-characters.ts";
import { isObject } from "../../../protocol/json-rpc.ts";
import { foreignToolOf } from "../../call-target.ts";
import type { CallRequest } from "../../call.ts";
import type { CallEnd, CallWatcher } from "../../gate/gate-stage.ts";
import type { Decision } from "../policy-stage.ts";
import { commandOf } from "../rules/rule.ts";
import type { AuditLog } from "./audit-log.ts";

export interface AuditWatcherParts {
  readonly log: Pick<AuditLog, "add">;
  readonly instanceId: string;
  readonly decisionOn: (call: CallRequest) => Decision;
  /** The calls about which there is a decision to ask for. */
  readonly decided: { has(call: CallRequest): boolean };
  /** Commands are logged in words, not only as a digest. */
  readonly logsCommands: boolean;
  /** Texts that must not appear. */
  readonly secrets: readonly string[];
}

/** Writes a line about every call: who, what, on whose word, how it ended. Of its arguments only a digest. */
export class AuditWatcher implements CallWatcher {
  readonly #parts: AuditWatcherParts;
  readonly #clientNames = new Map<string, string>();

  constructor(parts: AuditWatcherParts) {
    this.#parts = parts;
  }

  ended(call: CallRequest, end: CallEnd): void {
    const { name, args, client, target } = call;
    const { id, owner } = client;
    const time = Date.now();
    const { decided, decisionOn } = this.#parts;
    const decision = decided.has(call) ? decisionOn(call) : undefined;
    // The call itself is not kept: it holds on to its connection.
    this.#parts.log.add(() => {
      const foreign = foreignToolOf(target);
      const ended: Ended = { name, args, id, owner, time, decision, end, foreign };
      const digesting = new ArgumentsDigest(args ?? {});
      const argsDigest = digesting.next();
      return argsDigest === undefined
        ? this.#lineLater(ended, digesting)
        : this.#line(ended, argsDigest);
    });
  }

  async #lineLater(ended: Ended, digesting: ArgumentsDigest): Promise<string> {
    for (;;) {
      await nextTurn();
      const argsDigest = digesting.next();
      if (argsDigest !== undefined) return this.#line(ended, argsDigest);
    }
  }

  #line(ended: Ended, argsDigest: string): string {
    return escapeJson(JSON.stringify(this.#fields(ended, argsDigest)));
  }

  #fields(
    { name, args, id, owner, time, decision, end, foreign }: Ended,
    argsDigest: string,
  ): Readonly<Record<string, unknown>> {
    const { instanceId, logsCommands, secrets } = this.#parts;
    const command = logsCommands ? commandOf({ tool: name, args }) : undefined;
    return {
      time: new Date(time).toISOString(),
      instance: instanceId,
      client: this.#clientName(id),
      ...(owner !== undefined && { owner }),
      tool: name.slice(0, toolNameCharsMax),
      ...(foreign !== undefined && foreignFields(foreign, end)),
      args: `sha256:${argsDigest}`,
      ...(command !== undefined && { command: shownCommand(command, secrets) }),
      decision: end.decision,
      ...(decision?.rule !== undefined && { rule: redact(decision.rule, secrets) }),
      ...(decision?.agreement !== undefined && { consent: decision.agreement }),
      outcome: end.outcome ?? (end.decision === "allowed" ? "error" : "refused"),
      durationMs: Math.round(end.durationMs * 10) / 10,
    };
  }

  /** The id of an HTTP session is all that names it to the server: it does not belong into a file. */
  #clientName(id: string): string {
    if (id === "stdio") return id;
    const known = this.#clientNames.get(id);
    if (known !== undefined) return known;
    if (this.#clientNames.size >= clientNamesMax) this.#clientNames.clear();
    const name = digest(id).slice(0, 16);
    this.#clientNames.set(id, name);
    return name;
  }
}

/** The server of the tool, the tool's name there, and the name that the client used. */
function foreignFields(
  { server, tool, alias }: NonNullable<Ended["foreign"]>,
  { resultChars }: CallEnd,
): Readonly<Record<string, unknown>> {
  return {
    server,
    upstreamTool: tool.slice(0, toolNameCharsMax),
    ...(alias !== undefined && { alias: alias.slice(0, toolNameCharsMax) }),
    ...(resultChars !== undefined && { resultChars }),
  };
}

interface Ended extends Pick<CallRequest, "name" | "args"> {
  readonly id: string;
  readonly owner: string | undefined;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly decision: Decision | undefined;
  readonly end: CallEnd;
  readonly foreign: ReturnType<typeof foreignToolOf>;
}

/** Of tools that do not exist, which clients may ask for too. */
const toolNameCharsMax = 200;
const clientNamesMax = 1000;

/** Cut behind the shown part before it is redacted: half a secret is one too. */
function shownCommand(command: string, secrets: readonly string[]): string {
  const begin = command.slice(0, 2 * auditCommandCharsMax);
  return redact(begin, secrets).slice(0, auditCommandCharsMax);
}

function digest(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

/** An object, a list or a long text of which a part has been taken. */
type Open = { readonly count: number; at: number } & (
  | { readonly values: readonly unknown[] | string; readonly names?: undefined }
  /** `names` in their order. */
  | { readonly values: Readonly<Record<string, unknown>>; readonly names: readonly string[] }
);

/**
 * The SHA-256 of arguments, in hex: of their JSON with the members of objects in the order of their names. They may be
 * megabytes long, and other calls are served meanwhile: it is computed a little at a time.
 */
export class ArgumentsDigest {
  readonly #hasher = new Bun.CryptoHasher("sha256");
  readonly #open: Open[] = [];
  #text = "";

  constructor(args: unknown) {
    this.#take(args);
  }

  /** Goes on for a millisecond at most. Undefined until the end is reached. */
  next(): string | undefined {
    let hashed = 0;
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) {
      this.#takeNext(open);
      if (this.#text.length < auditDigestCharsAtOnce) continue;
      hashed += this.#hash();
      if (hashed >= auditDigestCharsAtOnce) return undefined;
    }
    this.#hash();
    return this.#hasher.digest("hex");
  }

  #hash(): number {
    const { length } = this.#text;
    this.#hasher.update(this.#text);
    this.#text = "";
    return length;
  }

  #takeNext(open: Open): void {
    const { values, names, count, at } = open;
    if (at === count) {
      this.#open.pop();
      this.#text += typeof values === "string" ? '"' : names === undefined ? "]" : "}";
      return;
    }
    if (typeof values === "string") return this.#takeText(open, values);
    open.at++;
    if (at > 0) this.#text += ",";
    if (open.names === undefined) return this.#take(open.values[at]);
    const name = open.names[at] ?? "";
    this.#text += `${JSON.stringify(name)}:`;
    this.#take(open.values[name]);
  }

  /** A part of it, without half a character. */
  #takeText(open: Open, text: string): void {
    const end = open.at + auditDigestCharsAtOnce;
    const isSplit = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    const part = text.slice(open.at, isSplit ? end + 1 : end);
    this.#text += JSON.stringify(part).slice(1, -1);
    open.at += part.length;
  }

  #take(value: unknown): void {
    if (typeof value === "string" && value.length > auditDigestCharsAtOnce) {
      this.#text += '"';
      this.#open.push({ values: value, count: value.length, at: 0 });
    } else if (Array.isArray(value)) {
      this.#text += "[";
      this.#open.push({ values: value, count: value.length, at: 0 });
    } else if (isObject(value)) {
      this.#text += "{";
      const names = Object.keys(value).sort();
      this.#open.push({ values: value, names, count: names.length, at: 0 });
    } else this.#text += JSON.stringify(value) ?? "null";
  }
}

/** The replacement of a secret. */
const mark = "[redacted]";

/** `text` without the parts that look like secrets, and without the known secrets. Linear in its length. */
export function redact(text: string, known: readonly string[]): string {
  let shown = text;
  for (const secret of known) shown = shown.replaceAll(secret, mark);
  return hideInText(shown, () => mark);
}

/** Values of the environment whose names say that they are secrets; short ones would be found everywhere. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return (
    Object.entries(env)
      .flatMap(([name, value]) =>
        saysSecret(name) && value !== undefined && value.length >= secretCharsMin ? [value] : [],
      )
      // One may be a part of another.
      .sort((one, other) => other.length - one.length)
  );
}

const secretCharsMin = 8;
