import { createFault, errorCodes, isObject, type ProtocolFault } from "../../protocol/json-rpc.ts";
import { shownElicitation } from "./asked-things.ts";

/** Of the revision 2025-11-25: a page has to be opened before the call can be made. */
const urlElicitationRequired = -32042;

/** Errors that say something of the connection on which they come, and would say it of ours. */
const aboutConnections: ReadonlySet<number> = new Set([
  errorCodes.parseError,
  errorCodes.invalidRequest,
  errorCodes.methodNotFound,
  errorCodes.headerMismatch,
  errorCodes.missingClientCapability,
  errorCodes.unsupportedProtocolVersion,
  urlElicitationRequired,
]);

/** The error of another server as ours: clients take what is about its connection for no statement about theirs. */
export function foreignFault(server: string, fault: ProtocolFault): ProtocolFault {
  const { code, message } = fault;
  if (Number.isSafeInteger(code) && !aboutConnections.has(code)) return fault;
  return createFault(
    errorCodes.internalError,
    `${server} answered with the error ${code}: ${message}`,
  );
}

/** Pages that a server wants to be opened before it does what it was asked for, for whoever reads it; undefined for other errors. */
export function pagesWanted(server: string, { code, data }: ProtocolFault): string | undefined {
  const pages: unknown = isObject(data) ? data.elicitations : undefined;
  if (code !== urlElicitationRequired || !Array.isArray(pages)) return undefined;
  const lines = pages.slice(0, pagesShownMax).flatMap((page: unknown) => {
    if (!isObject(page) || page.mode !== "url") return [];
    const shown = shownElicitation(server, { method: "elicitation/create", params: page as never });
    if (shown.kind === "refused" || shown.request.params.mode !== "url") return [];
    return [shown.request.params.message, shown.request.params.url];
  });
  if (lines.length === 0) return undefined;
  return [...lines, "The user can open it; then call the tool again."].join("\n");
}

const pagesShownMax = 5;
