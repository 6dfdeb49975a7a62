import { resourceFileBytesMax } from "../../base/limits.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import type {
  ResourceContents,
  ResourceListing,
  ResourceTemplateListing,
} from "../../protocol/resource-types.ts";
import { FaultError } from "../ask-client.ts";
import type { ClientContext, RequestContext } from "../call.ts";
import type { Changes, ResourceProvider, ResourceReading } from "../features.ts";
import type { FileWatch } from "./workspace-file.ts";
import type * as WorkspaceFile from "./workspace-file.ts";

/** The absolute path that a `file:` URI of this machine names; undefined for all others. */
function pathOfFileUri(uri: string): string | undefined {
  if (!/^file:\/\//i.test(uri)) return undefined;
  try {
    const path = Bun.fileURLToPath(uri);
    return path.includes("\0") ? undefined : path;
  } catch {
    return undefined;
  }
}

const templates: readonly ResourceTemplateListing[] = [
  {
    uriTemplate: "file:///{+path}",
    name: "workspace-file",
    title: "File of the workspace",
    description: "A file inside the roots that this client offers.",
  },
];

/**
 * Files inside the roots that a client offers, by their `file:` URIs. They are not listed, because a workspace may
 * have a million of them. Clients without roots, and those that may sit on another machine, have none.
 */
export class FileResources implements ResourceProvider {
  readonly #changes: Changes;
  readonly #everyMs: number | undefined;
  #fileWatch: Promise<FileWatch> | undefined;

  /** @param everyMs how often watched files are looked at */
  constructor(changes: Changes, everyMs?: number) {
    this.#changes = changes;
    this.#everyMs = everyMs;
  }

  list(): Promise<readonly ResourceListing[]> {
    return Promise.resolve([]);
  }

  templates(client: ClientContext): Promise<readonly ResourceTemplateListing[]> {
    return Promise.resolve(mayRead(client) ? templates : []);
  }

  /** @throws FaultError for a file that is too large for a reply */
  async read(uri: string, { client }: RequestContext): Promise<ResourceReading | undefined> {
    const path = await realPathFor(uri, client);
    const { readWholeFile } = await loadFiles();
    const contents = path === undefined ? undefined : await readWholeFile(path);
    if (path === undefined || contents === undefined) return undefined;
    const mimeType = Bun.file(path).type.split(";")[0] ?? "application/octet-stream";
    switch (contents.kind) {
      case "text":
        return whole({ uri, mimeType: textType(mimeType), text: contents.text });
      case "binary":
        return whole({ uri, mimeType, blob: Buffer.from(contents.bytes).toString("base64") });
      case "too_large":
        throw tooLarge(uri, contents.size);
    }
  }

  canSubscribe(uri: string, client: ClientContext): boolean {
    return mayRead(client) && pathOfFileUri(uri) !== undefined;
  }

  /** Where the URI leads is found out first; outside of the roots nothing is watched. */
  watch(uri: string, client: ClientContext): () => void {
    let end = (): void => {};
    let isOver = false;
    const begin = async (): Promise<void> => {
      const path = await realPathFor(uri, client);
      if (path === undefined) return;
      this.#fileWatch ??= this.#createWatch();
      const fileWatch = await this.#fileWatch;
      if (isOver) return;
      const change = { kind: "resource", uri, clientId: client.id, isSeenByAll: true } as const;
      end = fileWatch.watch(path, () => this.#changes.emit(change));
    };
    void begin();
    return () => {
      isOver = true;
      end();
    };
  }

  async #createWatch(): Promise<FileWatch> {
    const { FileWatch } = await import("./workspace-file.ts");
    return new FileWatch(this.#everyMs);
  }
}

/** Few clients read files this way: the code for it is loaded when one does. */
function loadFiles(): Promise<typeof WorkspaceFile> {
  return import("./workspace-file.ts");
}

function mayRead(client: ClientContext): boolean {
  return client.roots !== undefined && client.isRemote !== true;
}

async function realPathFor(uri: string, client: ClientContext): Promise<string | undefined> {
  const path = pathOfFileUri(uri);
  if (path === undefined || !mayRead(client)) return undefined;
  const { realPathInside } = await loadFiles();
  return realPathInside(path, (await client.roots?.()) ?? []);
}

function whole(contents: ResourceContents): ResourceReading {
  return { contents: [contents] };
}

/** Sources have types of their own, or none that is known. */
function textType(mimeType: string): string {
  return mimeType === "application/octet-stream" ? "text/plain" : mimeType;
}

function tooLarge(uri: string, size: number): FaultError {
  const message = `The file has ${size} bytes; a resource may have ${resourceFileBytesMax}. Read a part of it with Bash.`;
  return new FaultError(createFault(errorCodes.invalidParams, message, { uri }));
}
