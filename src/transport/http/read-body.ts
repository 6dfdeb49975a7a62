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
export function readBody(
  request: Request,
  bounds: BodyBounds = defaultBounds,
): Promise<BodyReading> {
  const { headers } = request;
  if (!isPlainJson(headers)) return Promise.resolve(notJson);
  const lengthText = headers.get("content-length");
  // The same length twice arrives as "2, 2"; then the bytes are counted while reading.
  const length = lengthText === null ? Number.NaN : Number(lengthText);
  if (length > bounds.bytesMax) return Promise.resolve(tooLarge(bounds));
  const bytes = Number.isNaN(length) ? readCounted(request, bounds.bytesMax) : request.bytes();
  return parseInTime(bytes, bounds);
}

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

/** One promise for all of it: each more would cost a call a quarter of a µs. Never rejects. */
function parseInTime(
  bytes: Promise<Uint8Array | "too-large">,
  bounds: BodyBounds,
): Promise<BodyReading> {
  const deadline = deadlineOf(bounds.msMax);
  return new Promise((resolve) => {
    const number = deadline.begin(() => resolve(late(bounds)));
    bytes.then(
      (read) => {
        deadline.end(number);
        resolve(read === "too-large" ? tooLarge(bounds) : parseBody(read));
      },
      (error: unknown) => {
        deadline.end(number);
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

function refused(status: 400 | 408 | 413 | 415, detail: string): BodyReading {
  const fault = createFault(errorCodes.invalidRequest, `Invalid request: ${detail}`);
  return { kind: "refused", status, fault };
}
