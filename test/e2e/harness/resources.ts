import { textOf } from "./messages.ts";
import type { ServerMessage } from "./server.ts";

/** The URIs of a `resources/list` reply, but those that are always there. */
export function urisOf({ result }: ServerMessage): string[] {
  return resourcesOf(result).map(({ uri }) => String(uri));
}

/** Resources that have come to be; others are there from the start. */
export function resourcesOf(
  result: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown>[] {
  return allResourcesOf(result).filter(({ uri }) => /^scorpiox:\/\/\w+\//.test(String(uri)));
}

export function allResourcesOf(
  result: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown>[] {
  const resources = result?.["resources"];
  if (!Array.isArray(resources)) throw new Error(`no resources in ${JSON.stringify(result)}`);
  return resources as Record<string, unknown>[];
}

/** The URI of the background task that a result speaks of, in every revision. */
export function startedUri(message: ServerMessage): string {
  const taskId = /task_id: (\d+)/.exec(textOf(message))?.[1];
  if (taskId === undefined) throw new Error(`no task in ${JSON.stringify(message)}`);
  return `scorpiox://background/${taskId}`;
}

/** The text of a `resources/read` reply. */
export function contentsText(message: ServerMessage): string {
  const contents = message.result?.["contents"];
  const [part] = Array.isArray(contents) ? (contents as { text?: string }[]) : [];
  if (part?.text === undefined) throw new Error(`no text in ${JSON.stringify(message)}`);
  return part.text;
}

/** Passes for `notifications/resources/updated` of this resource. */
export function isUpdateOf(uri: string): (message: ServerMessage) => boolean {
  return ({ method, params }) =>
    method === "notifications/resources/updated" && params?.["uri"] === uri;
}

export function isListChange({ method }: ServerMessage): boolean {
  return method === "notifications/resources/list_changed";
}
