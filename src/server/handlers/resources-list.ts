import {
  encodeResourcesList,
  encodeResourceTemplatesList,
} from "../../protocol/resources-codec.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { featureOf } from "../context/feature-of.ts";
import { listCacheHints } from "../context/list-cache-hints.ts";
import type { MethodReply } from "../connection/method.ts";
import { pageReply } from "./page-reply.ts";

/** `resources/list` (docs/spec/modern.md#resources-and-prompts). */
export async function handleResourcesList(
  request: ActiveRequest,
  connection: ServedConnection,
): Promise<MethodReply> {
  const entries = await featureOf(connection, "resources").list(request.client);
  const hints = listCacheHints(connection.server.features, "resources");
  return pageReply(request, { name: "resources", entries, keyOf: ({ uri }) => uri }, (page) =>
    encodeResourcesList(page, request.version, hints),
  );
}

/** `resources/templates/list` (docs/spec/modern.md#resources-and-prompts). */
export async function handleResourceTemplatesList(
  request: ActiveRequest,
  connection: ServedConnection,
): Promise<MethodReply> {
  const entries = await featureOf(connection, "resources").templates(request.client);
  const hints = listCacheHints(connection.server.features, "resources");
  return pageReply(
    request,
    { name: "templates", entries, keyOf: ({ uriTemplate }) => uriTemplate },
    (page) => encodeResourceTemplatesList(page, request.version, hints),
  );
}
