import type { EngineReport } from "./search-reply.ts";
import { withoutReason } from "./suspension-detail.ts";

/** The guard's message about a host that sent no byte; the cause is at its end. */
const unreached =
  /(?:Cannot resolve "[^"]*"|Cannot connect to "[^"]*" on port \d+|did not answer on port \d+(?=: the connection was refused)): ([^()]*)/;

/** Why none of the engines could be reached; undefined when one of them was, or failed in another way. */
export function offlineCause(engines: readonly EngineReport[]): string | undefined {
  const causes = engines.map(({ detail = "" }) => unreached.exec(detail)?.[1]);
  const [first] = causes;
  return causes.every((cause) => cause !== undefined) ? first : undefined;
}

/** One cause said once: of each engine stays that it was not reached, and for how long it is left alone. */
export function withoutCause(engines: readonly EngineReport[]): readonly EngineReport[] {
  return engines.map((engine) => {
    const { status, detail = "" } = engine;
    const wait = status === "suspended" ? `${withoutReason(detail)}: ` : "";
    return { ...engine, detail: `${wait}offline` };
  });
}
