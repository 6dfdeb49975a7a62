import { encodeNotification } from "../../protocol/json-rpc.ts";
import { isWantedAt, type LogLevel } from "../../protocol/log-level.ts";
import type { ActiveRequest } from "./active-request.ts";

/**
 * Sends `notifications/message` on the lane of its request: only at or above the level that the client asked
 * for, not after the reply, and not to a client that does not read (docs/spec/modern.md#notifications). Never give it secrets.
 */
export function sendLogMessage(
  request: ActiveRequest,
  level: LogLevel,
  data: unknown,
  logger?: string,
): void {
  const { asker, lane } = request;
  const least = asker.logLevel;
  if (least === undefined || !isWantedAt(level, least)) return;
  if (request.isOver || lane.isCongested) return;
  lane.send(encodeNotification("notifications/message", { level, logger, data }));
}
