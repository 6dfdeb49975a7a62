import { resultReply, type MethodReply } from "../connection/method.ts";

const empty = resultReply("{}");

/** Answered at any time, also before `initialize` (legacy.md section 4). */
export function handlePing(): MethodReply {
  return empty;
}
