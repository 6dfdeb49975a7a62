import { messageOf } from "../../base/errors.ts";
import { httpBodyMsMax, messageLineBytesMax } from "../../base/limits.ts";
import { SharedDeadline } from "../../base/shared-deadline.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import type { ProtocolFault } from "../../protocol/tool-types.ts";
import { parseJson } from "../parse-json.ts";
import { isPlainJson } from "./content-type.ts";

export type BodyReading =
  | { readonly kind: "value"; readonly value: unknown }
  | {
      readonly kind: "refused";
      readonly status: 400 | 408 | 413 | 415;
      readonly fault: ProtocolFault;
    };

export interface BodyBounds {
  readonly bytesMax: number;
  /** From now to the last byte. */
  readonly msMax: number;
}

const defaultBounds: BodyBounds = { bytesMax: messageLineBytesMax, msMax: httpBodyMsMax };

/**
 * Reads the body of a POST as one JSON value, within a size and a time; never rejects. What is too long by its own
 * account is refused unread (threats.md rows 2 and 6).
 */
export async function readBody(
  request: Request,
  bounds: BodyBounds = defaultBounds,
): Promise<BodyReading> {
  const { headers } = request;
  if (!isPlainJson(headers)) {
    return refused(415, "Content-Type must be application/json in UTF-8, without Content-Encoding");
  }
  const lengthText = headers.get("content-length");
  // The same length twice arrives as "2, 2"; then the bytes are counted while reading.
  const length = lengthText === null ? Number.NaN : Number(lengthText);
  if (length > bounds.bytesMax) return tooLarge(bounds);
  const bytes = await withDeadline(
    Number.isNaN(length) ? readCounted(request, bounds.bytesMax) : request.bytes(),
    bounds.msMax,
  );
  return bytes instanceof Uint8Array ? parseBody(bytes) : refuseUnread(bytes, bounds);
}

/** Why there are no bytes. */
type Unread = "late" | "too-large" | { readonly error: unknown };

/** The bytes of a body that does not say its length, unless there are more than `bytesMax`. */
async function readCounted(request: Request, bytesMax: number): Promise<Uint8Array | "too-large"> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > bytesMax) return "too-large";
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** What `reading` gives, or "late" when that takes longer. Never rejects. */
function withDeadline(
  reading: Promise<Uint8Array | "too-large">,
  msMax: number,
): Promise<Uint8Array | Unread> {
  const deadline = deadlineOf(msMax);
  return new Promise((resolve) => {
    const number = deadline.begin(() => resolve("late"));
    const end = (outcome: Uint8Array | Unread): void => {
      deadline.end(number);
      resolve(outcome);
    };
    reading.then(end, (error: unknown) => end({ error }));
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

function refuseUnread(unread: Unread, bounds: BodyBounds): BodyReading {
  if (unread === "too-large") return tooLarge(bounds);
  if (unread === "late") {
    return refused(408, `the body did not arrive within ${bounds.msMax} ms: send it again`);
  }
  // The connection ended or broke its framing: nobody may be there to read this.
  return refused(400, `the body could not be read: ${messageOf(unread.error)}`);
}

function tooLarge({ bytesMax }: BodyBounds): BodyReading {
  return refused(413, `the body is longer than ${bytesMax} bytes: send less at once`);
}

function refused(status: 400 | 408 | 413 | 415, detail: string): BodyReading {
  const fault = createFault(errorCodes.invalidRequest, `Invalid request: ${detail}`);
  return { kind: "refused", status, fault };
}
