import { encodeResourcesList } from "../../protocol/resources-codec.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { featureOf } from "../context/feature-of.ts";
import { listCacheHints } from "../context/list-cache-hints.ts";
import { invalidParams, type MethodReply } from "../connection/method.ts";
import { pageReply } from "./page-reply.ts";
import { readUriParam } from "./uri-param.ts";

/** `resources/directory/read` of the skills extension: direct children, page by page (docs/spec/modern.md#skills). */
export function handleResourcesDirectoryRead(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  const param = readUriParam(request.params);
  return param.kind === "refused" ? param.reply : read(param.uri, request, connection);
}

async function read(
  uri: string,
  request: ActiveRequest,
  connection: ServedConnection,
): Promise<MethodReply> {
  const entries = await featureOf(connection, "skills").directory(uri, request.client);
  if (entries === undefined) return invalidParams("uri names no directory", { uri });
  const hints = listCacheHints(connection.server.features, "skills");
  return pageReply(request, { name: "directory", entries, keyOf: ({ uri }) => uri }, (page) =>
    encodeResourcesList(page, request.version, hints),
  );
}
