import { isLogLevel, logLevels } from "../../protocol/log-level.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { invalidParams, resultReply, type MethodReply } from "../connection/method.ts";

/** `logging/setLevel`, legacy only; the level is the session's (docs/spec/legacy.md#sessions). */
export function handleSetLogLevel(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply {
  const level = request.params?.level;
  if (!isLogLevel(level)) return invalidParams(`level must be one of ${logLevels.join(", ")}`);
  connection.session.setLogLevel(level);
  return resultReply("{}");
}
