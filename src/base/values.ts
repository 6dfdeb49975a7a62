/* oxlint-disable typescript/no-unnecessary-type-parameters -- the caller names the type that the encoder had */

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The part of a stream's reader that is used. */
export interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** True for an object, a list not being one. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Types a value that this program has made itself: a message between two of its threads or processes, a text that it has
 * sealed, a file that it keeps in a folder of this user alone, the result of its script in a page's isolated world. Such
 * a value is not checked again, which would cost each message as much as parsing it. Everything else stays unknown until
 * a guard or a parser has checked it.
 */
export function ownValue<Value>(value: unknown): Value {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return value as Value;
}

/** As `ownValue`, for the JSON text of a value. @throws SyntaxError */
export function parseOwnJson<Value>(text: string): Value {
  return ownValue(JSON.parse(text));
}

/** The value of a JSON text of others; undefined when it is not JSON. */
export function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Types the copy of a value in which nothing but texts differs. */
export function likeOriginal<Value>(_original: Value, copy: unknown): Value {
  return ownValue(copy);
}

/**
 * An object whose optional members are set one by one while it is made. On the way of every call that takes a tenth of the time
 * of spreading objects that are mostly empty.
 */
export type Writable<Made> = { -readonly [Key in keyof Made]: Made[Key] };

/** JSON text with the members of objects in the order of their names: equal values give equal texts. */
export function canonicalJson(value: unknown, indent?: number): string {
  const inOrder = (_key: string, part: unknown): unknown => (isObject(part) ? sorted(part) : part);
  return JSON.stringify(value, inOrder, indent);
}

function sorted(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const names = Object.keys(object).sort();
  return Object.fromEntries(names.map((name) => [name, object[name]]));
}
