import type { Cancellation } from "../../base/cancellation.ts";
import type { ServerRights } from "../../upstream/snapshot.ts";
import type { CallRequest } from "../call.ts";

/** For whom a server asks, and under which rights. */
export interface AskOccasion {
  readonly server: string;
  readonly rights: Pick<ServerRights, "sampling" | "elicitation" | "roots">;
  /** The call that the server is busy with; its client is asked. */
  readonly call: CallRequest;
  /** True when that call was answered: a client that is asked in rounds cannot be asked any more. */
  readonly isAnswered: boolean;
  /** Cancelled when the server does not wait any longer. */
  readonly until: Cancellation;
  /** Lines for the end of the result: what was asked for and not shown. */
  readonly note: (line: string) => void;
}
