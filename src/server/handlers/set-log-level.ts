import type { ActiveRequest } from "../active-request.ts";
import type { Connection } from "../connection.ts";
import { invalidParams, resultReply, type MethodReply } from "../method.ts";
import { logLevels } from "../session.ts";

/** `logging/setLevel`, legacy only; the level is the session's (legacy.md section 4). */
export function handleSetLogLevel(request: ActiveRequest, connection: Connection): MethodReply {
  const level = logLevels.find((name) => name === request.params?.level);
  if (level === undefined) return invalidParams(`level must be one of ${logLevels.join(", ")}`);
  connection.session.setLogLevel(level);
  return resultReply("{}");
}
