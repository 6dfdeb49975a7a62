import { resultReply, type MethodReply } from "../connection/method.ts";

const empty = resultReply("{}");

/** Answered at any time, also before `initialize` (docs/spec/legacy.md#sessions). */
export function handlePing(): MethodReply {
  return empty;
}
