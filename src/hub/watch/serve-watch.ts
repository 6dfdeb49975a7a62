import { messageOf } from "../../base/errors.ts";
import type { HubLink, HubLinkHandlers } from "../link/hub-link.ts";
import { type HubStatus, readHubStatus, statusCharsMax } from "./hub-status.ts";
import { encodeWatch, readWatchRequest, type WatchReply, type WatchRequest } from "./messages.ts";

/** The hub, as those who watch it need it. */
export interface WatchSources {
  status(): HubStatus | Promise<HubStatus>;
  /** Ends the hub and all that it owns, kept tasks too; with the process all its links close. */
  stop(): Promise<void>;
}

/** Requests that wait for an answer on one link: a watcher asks one thing after the other. */
const requestsMax = 8;
/** A watcher that leaves so much unread is not answered any more. */
const unreadBytesMax = 2 * statusCharsMax;

/** Answers the process at the other end of a link. A message that breaks the protocol costs it the link. */
export function serveWatch(
  link: Pick<HubLink, "send" | "close" | "waitingBytes">,
  sources: WatchSources,
): HubLinkHandlers {
  let open = 0;
  let isClosed = false;
  const answer = async (request: WatchRequest): Promise<void> => {
    open++;
    const reply = await replyTo(request, sources);
    open--;
    if (isClosed) return;
    link.send(encodeWatch(reply));
    if (reply.type === "stopping") await sources.stop().catch(() => link.close());
  };
  return {
    onText(text) {
      if (isClosed) return;
      const request = readWatchRequest(text);
      const isTooMuch = open >= requestsMax || link.waitingBytes > unreadBytesMax;
      if (request === undefined || isTooMuch) {
        isClosed = true;
        return link.close();
      }
      if (request.type === "unknown") return link.send(encodeWatch(request));
      void answer(request);
    },
    onClosed() {
      isClosed = true;
    },
  };
}

async function replyTo(request: WatchRequest, sources: WatchSources): Promise<WatchReply> {
  const { id } = request;
  try {
    const status = readHubStatus(await sources.status());
    if (status === undefined) return { type: "failed", id, reason: "the hub has no valid status" };
    if (request.type === "status") return { type: "status", id, status };
    const running = runningKept(status);
    return running > 0 && !request.endsKept
      ? { type: "keeps", id, running }
      : { type: "stopping", id };
  } catch (error) {
    return { type: "failed", id, reason: messageOf(error) };
  }
}

/** Kept tasks that would end with the hub. */
function runningKept({ kept }: HubStatus): number {
  return kept.filter(({ state }) => state === "running").length;
}
