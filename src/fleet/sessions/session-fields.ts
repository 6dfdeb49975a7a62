import { isObject } from "../../base/values.ts";
import { isLogLevel } from "../../protocol/json-rpc.ts";
import { isLegacyVersion } from "../../protocol/message.ts";
import type { Handshake } from "../../server/connection/session.ts";
import type { ServedConnection } from "../../server/context/server-context.ts";
import type { SessionFields } from "./session-seal.ts";

/** A field for each subscribed URI, so that two replicas can change two of them at a time. */
const uriPrefix = "u:";

/** The state of a session as the fields that replicas agree on. */
export function fieldsOf({ session }: ServedConnection): SessionFields {
  const fields = new Map([["h", JSON.stringify(session.handshake)]]);
  if (session.isInitialized) fields.set("ready", "1");
  fields.set("level", session.logLevel);
  for (const uri of session.subscribedUris) fields.set(`${uriPrefix}${uri}`, "1");
  return fields;
}

/** The fields that differ, and those that are not there any more. */
export function differenceOf(
  before: SessionFields,
  now: SessionFields,
): { readonly set: (readonly [string, string])[]; readonly removed: string[] } {
  const set = [...now].filter(([name, value]) => before.get(name) !== value);
  const removed = [...before.keys()].filter((name) => !now.has(name));
  return { set, removed };
}

/** Brings a session into the state that the fields say. A subscribed URI is not watched by this. */
export function applyFields(fields: SessionFields, connection: ServedConnection): void {
  const { session, server } = connection;
  if (session.version === undefined) {
    const handshake = readHandshake(fields.get("h"));
    if (handshake !== undefined) session.resume(handshake);
  }
  const level = fields.get("level");
  if (isLogLevel(level) && level !== session.logLevel) session.setLogLevel(level);
  if (fields.get("ready") === "1" && !session.isInitialized) {
    session.markInitialized();
    server.admit(connection);
  }
  const uris = new Set(
    [...fields.keys()].flatMap((name) =>
      name.startsWith(uriPrefix) ? [name.slice(uriPrefix.length)] : [],
    ),
  );
  for (const uri of session.subscribedUris) if (!uris.has(uri)) session.subscribedUris.delete(uri);
  for (const uri of uris) session.subscribedUris.add(uri, () => () => {});
}

function readHandshake(text: string | undefined): Handshake | undefined {
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isObject(value) || !isLegacyVersion(value.version) || !isObject(value.capabilities))
    return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `fieldsOf` of a replica of this fleet
  return value as unknown as Handshake;
}
