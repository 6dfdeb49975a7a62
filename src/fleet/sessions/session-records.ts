import { httpSessionIdleMsMax, resumableCharsMax, resumableEventsMax } from "../../base/limits.ts";
import { isObject } from "../../base/values.ts";
import type { FleetSeal } from "../engine/fleet-secret.ts";
import { type Reply, Script, type SharedEngine } from "../engine/shared-engine.ts";
import { entriesOf, type TailEntry } from "../engine/stream-tail.ts";
import { type SessionFields, SessionSeal, type SharedEvent } from "./session-seal.ts";
import { liveFunction, type Replica } from "../replicas/replica.ts";

/** KEYS: the session, its principal's sessions, the epoch. ARGV: id, most of a principal, ms idle, epoch, fields and values. */
const beginScript = new Script(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('SET', KEYS[3], ARGV[4], 'NX')
if redis.call('EXISTS', KEYS[1]) == 1 then return {1, redis.call('GET', KEYS[3])} end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[2]) then return {0, redis.call('GET', KEYS[3])} end
redis.call('ZADD', KEYS[2], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call('HSET', KEYS[1], 'v', 1, unpack(ARGV, 5))
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {1, redis.call('GET', KEYS[3])}
`);

/** KEYS: the session, its events, its principal's sessions, the epoch. ARGV: id, ms idle or 0 to leave it. */
const lookScript = new Script(`
local v = redis.call('HGET', KEYS[1], 'v')
if v and ARGV[2] ~= '0' then
  local t = redis.call('TIME')
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
  redis.call('ZADD', KEYS[3], t[1] * 1000 + ARGV[2], ARGV[1])
  redis.call('PEXPIRE', KEYS[3], ARGV[2])
end
return {v, redis.call('GET', KEYS[4])}
`);

/** KEYS: the session. ARGV: how many fields to set, these and their values, fields to remove. */
const saveScript = new Script(`
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
local last = 1 + 2 * ARGV[1]
for i = 2, last, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
for i = last + 1, #ARGV do redis.call('HDEL', KEYS[1], ARGV[i]) end
return redis.call('HINCRBY', KEYS[1], 'v', 1)
`);

/** KEYS: replicas, clock, the session. ARGV: the replica that takes its stream, "1" to take it from another that lives. */
const holdScript = new Script(`${liveFunction}
local holder = redis.call('HGET', KEYS[3], 'own')
if holder and holder ~= ARGV[1] and ARGV[2] ~= '1' and live(holder) then return {holder} end
if redis.call('EXISTS', KEYS[3]) == 1 then redis.call('HSET', KEYS[3], 'own', ARGV[1]) end
return {ARGV[1], redis.call('HGET', KEYS[3], 'cur')}
`);

/**
 * Keeps an event, within the bounds of the session, and tells those that follow the stream.
 * KEYS: the events, the session. ARGV: stream, number, "1" if it is the last, data, ids of the requests, most events, most
 * bytes, ms idle, position of the changes that were delivered, "1" to do it only if the stream is open, the channel.
 */
const appendScript = new Script(`
local stream, number, last, data = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local open = 'o:' .. stream
if redis.call('EXISTS', KEYS[2]) == 0 then return 'ended' end
if ARGV[10] == '1' and redis.call('HEXISTS', KEYS[2], open) == 0 then return 'closed' end
if last == '1' then
  redis.call('HDEL', KEYS[2], open)
elseif ARGV[5] ~= '' then
  redis.call('HSET', KEYS[2], open, ARGV[5])
end
if ARGV[9] ~= '' then redis.call('HSET', KEYS[2], 'cur', ARGV[9]) end
if data == '' and last == '0' and ARGV[5] ~= '' then return 'kept' end
redis.call('XADD', KEYS[1], '*', 's', stream, 'n', number, 'l', last, 'd', data)
local bytes = redis.call('HINCRBY', KEYS[2], 'ec', #data)
local length = redis.call('XLEN', KEYS[1])
while length > tonumber(ARGV[6]) or (bytes > tonumber(ARGV[7]) and length > 1) do
  local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
  redis.call('XDEL', KEYS[1], first[1])
  length = length - 1
  bytes = redis.call('HINCRBY', KEYS[2], 'ec', -#first[2][8])
end
redis.call('PEXPIRE', KEYS[1], ARGV[8])
redis.call('PUBLISH', ARGV[11], stream .. ' ' .. number .. ' ' .. last .. ' ' .. data)
return 'kept'
`);

export interface AppendOptions {
  /** Ids of the requests that the stream answers, as JSON; absent for the stream of the session. */
  readonly ids?: string | undefined;
  /** The last change that was delivered. */
  readonly position?: string | undefined;
  readonly onlyIfOpen?: boolean;
}

/** A look at a session. */
export interface Look {
  /** Undefined: there is no such session. */
  readonly version: string | undefined;
  /** Undefined: the engine has lost everything. */
  readonly epoch: string | undefined;
}

export interface SessionRecordsParts {
  readonly engine: SharedEngine;
  readonly replica: Replica;
  /** Access to the engine alone must give nobody a session, nor a word on its streams. */
  readonly seal: FleetSeal;
  /** Sessions of one principal in the whole fleet. */
  readonly principalMax: number;
  readonly idleMs?: number | undefined;
}

/** Legacy sessions in the engine: one hash and one stream for each, which end when nobody has used them for long. */
export class SessionRecords {
  readonly #engine: SharedEngine;
  readonly #replica: Replica;
  readonly #idleMs: number;
  readonly #principalMax: number;
  readonly #seal: SessionSeal;

  constructor({ engine, replica, seal, principalMax, idleMs }: SessionRecordsParts) {
    this.#engine = engine;
    this.#replica = replica;
    this.#seal = new SessionSeal(seal);
    this.#principalMax = principalMax;
    this.#idleMs = idleMs ?? httpSessionIdleMsMax;
  }

  /** Nothing is changed if it is there. @returns whether there was room, and the epoch */
  async begin(
    id: string,
    principal: string,
    fields: SessionFields,
    epoch: string,
  ): Promise<{
    readonly hasRoom: boolean;
    readonly epoch: string;
  }> {
    const keys = [this.#session(id), this.#principal(principal), this.#engine.keys.of("epoch")];
    const pairs = this.#seal.fields(this.#session(id), [["p", principal], ...fields]);
    const args = [id, this.#principalMax, this.#idleMs, epoch, ...pairs];
    const reply = await beginScript.run(this.#engine, keys, args);
    const [hasRoom, now] = listOf(reply);
    return { hasRoom: hasRoom === 1, epoch: textOf(now) ?? epoch };
  }

  /** @param isUsed it stays for its idle time from now on */
  async look(id: string, principal: string, isUsed: boolean): Promise<Look> {
    const { keys } = this.#engine;
    const places = [
      this.#session(id),
      this.#events(id),
      this.#principal(principal),
      keys.of("epoch"),
    ];
    const reply = await lookScript.run(this.#engine, places, [id, isUsed ? this.#idleMs : 0]);
    const [version, epoch] = listOf(reply);
    return { version: textOf(version), epoch: textOf(epoch) };
  }

  /** The fields that replicas have written, and the scripts; undefined when there is no such session. */
  async load(id: string): Promise<SessionFields | undefined> {
    const reply = await this.#engine.request("HGETALL", this.#session(id));
    const fields = this.#seal.readFields(this.#session(id), isObject(reply) ? reply : {});
    return fields.has("p") ? fields : undefined;
  }

  /** Ids of the requests that an open stream answers, as JSON. */
  async openIds(id: string, stream: string): Promise<string | undefined> {
    const name = `o:${stream}`;
    const reply = await this.#engine.request("HGET", this.#session(id), name);
    return this.#seal.readFields(this.#session(id), { [name]: reply }).get(name);
  }

  /** The new version; undefined when there is no such session. */
  async save(
    id: string,
    set: readonly (readonly [string, string])[],
    removed: readonly string[],
  ): Promise<string | undefined> {
    const args = [set.length, ...this.#seal.fields(this.#session(id), set), ...removed];
    const version = await saveScript.run(this.#engine, [this.#session(id)], args);
    return typeof version === "number" ? String(version) : undefined;
  }

  async end(id: string, principal: string): Promise<void> {
    await this.#engine.request("DEL", this.#session(id), this.#events(id));
    await this.#engine.request("ZREM", this.#principal(principal), id);
  }

  /** The replica that has the session's own stream from now on, and the last change that was delivered on it. */
  async hold(
    id: string,
    takesOver: boolean,
  ): Promise<{ holder: string; position: string | undefined }> {
    const { liveKeys, id: own } = this.#replica;
    const keys = [...liveKeys, this.#session(id)];
    const [holder, position] = listOf(
      await holdScript.run(this.#engine, keys, [own, takesOver ? 1 : 0]),
    );
    return { holder: textOf(holder) ?? own, position: textOf(position) };
  }

  /** @returns `kept`, `ended` for a session that is not there, or `closed` for a stream that is not open */
  async append(id: string, event: SharedEvent, options: AppendOptions): Promise<string> {
    const { stream, number, isLast, data } = event;
    const { ids, position = "", onlyIfOpen = false } = options;
    const bounds = [resumableEventsMax, resumableCharsMax, this.#idleMs];
    // One without data that only opens its stream is not kept.
    const isOpening = data === "" && !isLast && ids !== undefined;
    const text = isOpening ? "" : this.#seal.event(this.#events(id), event);
    const [, open = ""] =
      ids === undefined ? [] : this.#seal.fields(this.#session(id), [[`o:${stream}`, ids]]);
    const args = [stream, number, isLast ? 1 : 0, text, open, ...bounds, position];
    const keys = [this.#events(id), this.#session(id)];
    const reply = await appendScript.run(this.#engine, keys, [
      ...args,
      onlyIfOpen ? 1 : 0,
      this.channelOf(id),
    ]);
    return textOf(reply) ?? "";
  }

  /** All events that are kept, of all streams, oldest first. */
  async events(id: string): Promise<readonly SharedEvent[]> {
    const reply = await this.#engine.request("XRANGE", this.#events(id), "-", "+");
    return entriesOf(reply).flatMap(
      (entry) => this.#seal.readEvent(this.#events(id), eventOf(entry)) ?? [],
    );
  }

  /** An event as it comes by the channel; undefined for another text. */
  toldEvent(id: string, text: string): SharedEvent | undefined {
    const event = readToldEvent(text);
    return event && this.#seal.readEvent(this.#events(id), event);
  }

  /** The channel of new events of the session. */
  channelOf(id: string): string {
    return this.#engine.keys.of("events", id, "new");
  }

  #session(id: string): string {
    return this.#engine.keys.of("session", id);
  }

  #events(id: string): string {
    return this.#engine.keys.of("events", id);
  }

  #principal(principal: string): string {
    const digest = new Bun.CryptoHasher("sha256").update(principal).digest("base64url");
    return this.#engine.keys.of("sessions-of", digest);
  }
}

function eventOf({ fields }: TailEntry): SharedEvent {
  return {
    stream: fields.get("s") ?? "",
    number: Number(fields.get("n")),
    data: fields.get("d") ?? "",
    isLast: fields.get("l") === "1",
  };
}

/** Undefined for another text. */
function readToldEvent(text: string): SharedEvent | undefined {
  const match = /^([a-z2-7]+\.\d+) (\d+) ([01]) /.exec(text);
  if (match === null) return undefined;
  const [head, stream = "", number, last] = match;
  return { stream, number: Number(number), isLast: last === "1", data: text.slice(head.length) };
}

function listOf(reply: Reply): readonly Reply[] {
  return Array.isArray(reply) ? (reply as readonly Reply[]) : [];
}

function textOf(reply: Reply | undefined): string | undefined {
  return typeof reply === "string" ? reply : undefined;
}
