import { isObject } from "../../protocol/json-rpc.ts";

/** @throws TypeError for anything but a text */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError("no text");
}

/** The members of a JSON object, each as `read` has it. @throws TypeError for anything else, and what `read` throws */
export function mapOf<Item>(
  value: unknown,
  read: (item: unknown) => Item,
): ReadonlyMap<string, Item> {
  if (!isObject(value)) throw new TypeError("no object");
  return new Map(Object.entries(value).map(([key, item]) => [key, read(item)]));
}
