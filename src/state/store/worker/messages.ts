import type { StoreCall } from "../store-methods.ts";

/** What crosses between the main thread and the store Worker. All of it travels as strings. */

export type ToStoreWorker =
  /** The first message. */
  | { readonly kind: "open"; readonly path: string; readonly busyMsMax: number }
  | { readonly kind: "call"; readonly id: number; readonly call: StoreCall }
  /** What came before is done first; then comes `closed`. */
  | { readonly kind: "close" };

export type FromStoreWorker =
  /** What it changed is on the disk. */
  | {
      readonly kind: "done";
      readonly id: number;
      readonly value: unknown;
      readonly notices: readonly string[];
    }
  | {
      readonly kind: "failed";
      readonly id: number;
      readonly code: string;
      readonly message: string;
      readonly notices: readonly string[];
    }
  | { readonly kind: "closed" };

export function encodeToStoreWorker(message: ToStoreWorker): string {
  return JSON.stringify(message);
}

export function decodeToStoreWorker(text: string): ToStoreWorker {
  return JSON.parse(text) as ToStoreWorker;
}

/** Several at once: one message of the thread for each transaction. */
export function encodeFromStoreWorker(messages: readonly FromStoreWorker[]): string {
  return JSON.stringify(messages);
}

export function decodeFromStoreWorker(text: string): FromStoreWorker[] {
  return JSON.parse(text) as FromStoreWorker[];
}
