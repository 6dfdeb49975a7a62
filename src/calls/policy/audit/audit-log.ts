import { sha256Hex } from "../../../base/digests.ts";
import { auditCommandCharsMax, auditFlushMs, auditLinesWaitingMax } from "../../../base/limits.ts";
import { type LineFile, LineLog } from "../../../base/line-log.ts";
import { hideInText, saysSecret } from "../../../base/secrets.ts";
import { turnOfLoop } from "../../../base/turns.ts";
import { escapeJson } from "../../../base/unsafe-characters.ts";
import type { Environment } from "../../../base/values.ts";
import { upstreamToolOf } from "../../call-target.ts";
import type { CallRequest } from "../../call.ts";
import type { CallEnd, CallWatcher } from "../../gate/gate-stage.ts";
import type { Decision } from "../policy-stage.ts";
import { commandOf } from "../rules/rule.ts";
import { ArgumentsDigest } from "./arguments-digest.ts";

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
      const foreign = upstreamToolOf(target);
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
      await turnOfLoop();
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
    // Assigned one by one: it is made for every call, and spreading the parts that are often absent takes most of its time.
    const fields: Record<string, unknown> = {
      time: new Date(time).toISOString(),
      instance: instanceId,
      client: this.#clientName(id),
    };
    if (owner !== undefined) fields["owner"] = owner;
    fields["tool"] = name.slice(0, toolNameCharsMax);
    if (foreign !== undefined) Object.assign(fields, foreignFields(foreign, end));
    fields["args"] = `sha256:${argsDigest}`;
    if (command !== undefined) fields["command"] = shownCommand(command, secrets);
    fields["decision"] = end.decision;
    if (decision?.rule !== undefined) fields["rule"] = redact(decision.rule, secrets);
    if (decision?.agreement !== undefined) fields["consent"] = decision.agreement;
    fields["outcome"] = end.outcome ?? (end.decision === "allowed" ? "error" : "refused");
    fields["durationMs"] = Math.round(end.durationMs * 10) / 10;
    return fields;
  }

  /** The id of an HTTP session is all that names it to the server: it does not belong into a file. */
  #clientName(id: string): string {
    if (id === "stdio") return id;
    const known = this.#clientNames.get(id);
    if (known !== undefined) return known;
    if (this.#clientNames.size >= clientNamesMax) this.#clientNames.clear();
    const name = sha256Hex(id).slice(0, 16);
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
  readonly foreign: ReturnType<typeof upstreamToolOf>;
}

/** Characters that are kept of a tool's name: clients may ask for tools that do not exist, too. */
const toolNameCharsMax = 200;
const clientNamesMax = 1000;

/** Cut behind the shown part before it is redacted: half a secret is one too. */
function shownCommand(command: string, secrets: readonly string[]): string {
  const begin = command.slice(0, 2 * auditCommandCharsMax);
  return redact(begin, secrets).slice(0, auditCommandCharsMax);
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
export function secretsOf(env: Environment): readonly string[] {
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

/** Collects the lines of the audit log. Never fails a call. */
export class AuditLog extends LineLog {
  /** @param warn told once that nothing can be written */
  constructor(file: LineFile, warn: (message: string) => void) {
    super({
      file,
      warn,
      name: "audit log",
      flushMs: auditFlushMs,
      linesWaitingMax: auditLinesWaitingMax,
    });
  }
}
