import type { Transport } from "../transport/transport.ts";

/** The sending half of a connection, as the server sees it. */
export type Outbox = Pick<Transport, "send" | "isCongested">;
