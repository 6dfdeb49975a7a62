import type { ServerState } from "../../server-state.ts";
import type { Found } from "../find-matches.ts";
import type { ShownBlocked } from "./blocked.ts";
import type { Unavailable } from "./unavailable.ts";

/** What a reply says beside its matches; the names are those of the structured content. */
export interface SearchNotes {
  readonly unknown?: Found["unknown"];
  readonly unavailable: readonly Unavailable[];
  readonly blocked: readonly ShownBlocked[];
  readonly how_to_call: string;
  /** Where nothing matched: all servers, with the number of their callable tools. */
  readonly servers?: readonly {
    readonly server: string;
    readonly tools: number;
    readonly state: ServerState;
  }[];
  /** Where nothing matched: names that look like the query. */
  readonly nearest?: readonly string[];
  readonly index_file?: string;
  /** One of these lists was too long to be shown whole. */
  readonly shortened?: true;
}
