import { entriesPerPageMax } from "../../base/limits.ts";
import { cutPage, type Page, type PagedList } from "../../protocol/pagination.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import { invalidParams, type MethodReply, resultReply } from "../connection/method.ts";

/** The page of a list that the request asks for; a foreign cursor is -32602 (docs/spec/modern.md#tools). */
export function pageReply<Entry>(
  request: ActiveRequest,
  list: PagedList<Entry>,
  encode: (page: Page<Entry>) => string,
): MethodReply {
  const page = cutPage(list, request.params?.cursor, entriesPerPageMax);
  return page === undefined ? unknownCursor() : resultReply(encode(page));
}

export function unknownCursor(): MethodReply {
  return invalidParams(
    "cursor is unknown, or the list has changed; ask without a cursor for the first page",
  );
}
