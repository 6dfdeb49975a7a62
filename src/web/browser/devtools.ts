import type { CDPSession } from "puppeteer-core/internal/api/CDPSession.js";
import { Connection } from "puppeteer-core/internal/cdp/Connection.js";
import { createIncrementalIdGenerator } from "puppeteer-core/internal/util/incremental-id-generator.js";
import type { ConnectionTransport, Protocol } from "puppeteer-core";

export type { CDPSession, ConnectionTransport, Protocol };
/** Commands to the browser itself, and the sessions of its tabs. */
export type DevTools = Connection;

/** A command that gets no answer fails after this. */
const answerMsMax = 180_000;

/**
 * Speaks the DevTools protocol over `transport`. Of puppeteer this is the connection alone, 10 of its 700 kB: its model of
 * browsers, pages and elements watches every target, and this program needs none of them.
 */
export function connectDevTools(transport: ConnectionTransport): DevTools {
  const ids = createIncrementalIdGenerator();
  return new Connection("", transport, 0, answerMsMax, false, ids, () => undefined);
}
