import { canBeAsked, type InputKind } from "../../protocol/input-request.ts";
import { isModernVersion } from "../../protocol/versions.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";

/** Only what was declared; a legacy client not before it is initialized (docs/spec/legacy.md#sessions). */
export function mayAsk(
  { version, asker }: ActiveRequest,
  { session }: ServedConnection,
  kind: InputKind,
): boolean {
  return (
    (isModernVersion(version) || session.isInitialized) && canBeAsked(asker.capabilities, kind)
  );
}
