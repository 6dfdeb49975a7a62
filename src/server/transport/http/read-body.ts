import { SharedDeadline } from "../../../base/cancellation.ts";
import { messageOf } from "../../../base/errors.ts";
import { httpBodiesBytesMax, httpBodyMsMax, messageLineBytesMax } from "../../../base/limits.ts";
import { Shares } from "../../../base/turns.ts";
import { createFault, errorCodes, type ProtocolFault } from "../../../protocol/json-rpc.ts";
import { parseJson } from "../message-parser.ts";

/** The share of one body in the bytes that all bodies may have. */
class BodyRoom {
  readonly #shares: Shares;
  readonly #sender: string;
  #bytes = 0;
  #isOver = false;

  constructor(shares: Shares, sender: string) {
    this.#shares = shares;
    this.#sender = sender;
  }

  /** False when there is no room, or when the body is not waited for any more. */
  take(bytes: number): boolean {
    if (this.#isOver || !this.#shares.hasRoomFor(this.#sender, bytes)) return false;
    this.#shares.take(this.#sender, bytes);
    this.#bytes += bytes;
    return true;
  }

  /** Gives back what it took; once. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#shares.giveBack(this.#sender, this.#bytes);
  }
}

/**
 * Whether a body is plain JSON in UTF-8: `application/json`, no other charset, no encoding on top.
 * A page may send forms and plain text anywhere without asking, so they are refused (TH7).
 */
function isPlainJson(headers: Headers): boolean {
  const contentType = headers.get("content-type");
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") return false;
  return contentType === "application/json" || isJsonType(contentType ?? "");
}

function isJsonType(contentType: string): boolean {
  const [type = "", ...parameters] = contentType.toLowerCase().split(";");
  if (type.trim() !== "application/json") return false;
  return parameters.every((parameter) => {
    const [name = "", value = ""] = parameter.split("=");
    return name.trim() !== "charset" || /^\s*"?utf-?8"?\s*$/.test(value);
  });
}

type RefusedStatus = 400 | 408 | 413 | 415 | 503;

export type BodyReading =
  | { readonly kind: "value"; readonly value: unknown }
  | {
      readonly kind: "refused";
      readonly status: RefusedStatus;
      readonly fault: ProtocolFault;
    };

export interface BodyBounds {
  readonly bytesMax: number;
  /** From now to the last byte. */
  readonly msMax: number;
  /** Bytes of all bodies that are being read, by whom they are from. */
  readonly shares: Shares;
}

/** For all bodies of one endpoint. @param part of the bytes under way that may be from one sender */
export function createBodyBounds(part?: number): BodyBounds {
  const shares = new Shares(httpBodiesBytesMax, part);
  return { bytesMax: messageLineBytesMax, msMax: httpBodyMsMax, shares };
}

/**
 * Reads the body of a POST as one JSON value, within a size and a time; never rejects. A body that is too long by its
 * own header is refused unread (TH2, TH6), and so is one that has no room beside the others.
 */
export function readBody(
  request: Request,
  sender: string,
  bounds: BodyBounds,
): Promise<BodyReading> {
  const { headers } = request;
  if (!isPlainJson(headers)) return Promise.resolve(notJson);
  const lengthText = headers.get("content-length");
  // The same length twice arrives as "2, 2"; then the bytes are counted while reading.
  const length = lengthText === null ? Number.NaN : Number(lengthText);
  if (length > bounds.bytesMax) return Promise.resolve(tooLarge(bounds));
  const room = new BodyRoom(bounds.shares, sender);
  if (Number.isNaN(length)) return parseInTime(readCounted(request, bounds, room), bounds, room);
  return room.take(length) ? parseInTime(request.bytes(), bounds, room) : Promise.resolve(noRoom);
}

/** The bytes of a body that does not say its length, or why it is not read to its end. */
async function readCounted(
  request: Request,
  bounds: BodyBounds,
  room: BodyRoom,
): Promise<Uint8Array | BodyReading> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > bounds.bytesMax) return tooLarge(bounds);
    if (!room.take(chunk.length)) return noRoom;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** One promise for all of it: each more would cost a call a quarter of a µs. Never rejects. */
function parseInTime(
  bytes: Promise<Uint8Array | BodyReading>,
  bounds: BodyBounds,
  room: BodyRoom,
): Promise<BodyReading> {
  const deadline = deadlineOf(bounds.msMax);
  return new Promise((resolve) => {
    const number = deadline.begin(() => {
      room.end();
      resolve(late(bounds));
    });
    const end = (): void => {
      deadline.end(number);
      room.end();
    };
    bytes.then(
      (read) => {
        end();
        resolve(read instanceof Uint8Array ? parseBody(read) : read);
      },
      (error: unknown) => {
        end();
        resolve(unreadable(error));
      },
    );
  });
}

/** One for all bodies that have the same time. */
function deadlineOf(msMax: number): SharedDeadline {
  const known = deadlines.get(msMax);
  if (known !== undefined) return known;
  const deadline = new SharedDeadline(msMax);
  deadlines.set(msMax, deadline);
  return deadline;
}

const deadlines = new Map<number, SharedDeadline>();

function parseBody(bytes: Uint8Array): BodyReading {
  const event = parseJson(bytes, "body");
  if (event.kind === "message") return { kind: "value", value: event.value };
  return { kind: "refused", status: 400, fault: event.fault };
}

function late({ msMax }: BodyBounds): BodyReading {
  return refused(408, `the body did not arrive within ${msMax} ms: send it again`);
}

/** The connection ended or broke its framing: nobody may be there to read this. */
function unreadable(error: unknown): BodyReading {
  return refused(400, `the body could not be read: ${messageOf(error)}`);
}

function tooLarge({ bytesMax }: BodyBounds): BodyReading {
  return refused(413, `the body is longer than ${bytesMax} bytes: send less at once`);
}

const notJson = refused(
  415,
  "Content-Type must be application/json in UTF-8, without Content-Encoding",
);

const noRoom = refused(503, "too much is being sent at the moment: try again later");

function refused(status: RefusedStatus, detail: string): BodyReading {
  const fault = createFault(errorCodes.invalidRequest, `Invalid request: ${detail}`);
  return { kind: "refused", status, fault };
}
