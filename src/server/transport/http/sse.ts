/** One server-sent event. */
export interface SseEvent {
  readonly id?: string;
  /** Name of the event; `message` when absent. */
  readonly event?: string;
  /** One JSON text. */
  readonly data: string;
}

/** A line that clients skip: a sign of life for proxies on the way (docs/spec/modern.md#subscriptions). */
export const keepAliveComment = ": keep-alive\n\n";

/**
 * The event as text, its empty line at the end included. Line breaks in `data`, which JSON allows between tokens,
 * become several `data` lines: the client joins them again. In the other fields they are left out.
 */
export function encodeEvent({ id, event, data }: SseEvent): string {
  const idLine = id === undefined ? "" : `id: ${oneLine(id)}\n`;
  const eventLine = event === undefined ? "" : `event: ${oneLine(event)}\n`;
  return `${idLine}${eventLine}data: ${dataLines(data)}\n\n`;
}

/**
 * The first event of a stream that can be resumed: an id, so that the client can come back even when nothing else
 * reached it, and empty data. For 2025-11-25 only: older clients try to parse it (docs/spec/legacy.md#streams).
 */
export function encodePriming(id: string): string {
  return encodeEvent({ id, data: "" });
}

/** Tells the client how soon to come back: sent before the server closes a connection (docs/spec/legacy.md#streams). */
export function encodeRetry(retryMs: number): string {
  return `retry: ${Math.round(retryMs)}\n\n`;
}

function dataLines(data: string): string {
  // Our own JSON has no line breaks, and two searches cost less than one pattern.
  if (!data.includes("\n") && !data.includes("\r")) return data;
  return data.split(/\r\n|\r|\n/).join("\ndata: ");
}

/** A NUL would make a client ignore the id. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\0]/g, "");
}
