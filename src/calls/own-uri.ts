/** The target of one of the product's own URIs. */
export type OwnUri =
  | { readonly kind: "background"; readonly taskId: number }
  /** `page` counts from 1; undefined for all of it, or its two ends. */
  | { readonly kind: "result"; readonly id: string; readonly page?: number };

const backgroundPrefix = "scorpiox://background/";
const resultPrefix = "scorpiox://results/";

export function backgroundUri(taskId: number): string {
  return `${backgroundPrefix}${taskId}`;
}

export function resultUri(id: string): string {
  return `${resultPrefix}${id}`;
}

/** @param page from 1 on */
export function resultPageUri(id: string, page: number): string {
  return `${resultUri(id)}/${page}`;
}

/** Undefined when it is not an own URI. There is one way to write each of them, so that subscriptions compare texts. */
export function readOwnUri(uri: string): OwnUri | undefined {
  if (uri.startsWith(backgroundPrefix)) {
    const digits = uri.slice(backgroundPrefix.length);
    return /^[1-9]\d{0,8}$/.test(digits)
      ? { kind: "background", taskId: Number(digits) }
      : undefined;
  }
  if (!uri.startsWith(resultPrefix)) return undefined;
  const [, id, page] =
    /^([0-9a-z-]+)(?:\/([1-9]\d{0,8}))?$/.exec(uri.slice(resultPrefix.length)) ?? [];
  if (id === undefined) return undefined;
  return { kind: "result", id, ...(page === undefined ? {} : { page: Number(page) }) };
}

/** Their entries in `resources/templates/list`. */
export const ownTemplates = [
  {
    uriTemplate: `${backgroundPrefix}{task_id}`,
    name: "background-task",
    title: "Background task",
    description: "State and output so far of a background task of this client.",
    mimeType: "text/plain",
  },
  {
    uriTemplate: `${resultPrefix}{id}`,
    name: "saved-output",
    title: "Saved output",
    description:
      "An output that was too long for its result. The id is the name of the file that the result names, without .txt.",
    mimeType: "text/plain",
  },
  {
    uriTemplate: `${resultPrefix}{id}/{page}`,
    name: "saved-output-page",
    title: "Page of a saved output",
    description: "A saved output of more than 1 MiB in pages of 1 MiB, numbered from 1.",
    mimeType: "text/plain",
  },
] as const;
