import type { Database } from "bun:sqlite";

import type { StateScope } from "../base/server-events.ts";
import { type ActivePlan, PlanTable } from "./plan-table.ts";

/** What the store Worker does for the main thread. Requests and replies cross as JSON. */
export interface StoreMethods {
  "plans.get": { request: { scope: StateScope }; reply: ActivePlan | null };
  /** Unless one is active; the reply says which one is then. */
  "plans.set": {
    request: { scope: StateScope; plan: ActivePlan };
    reply: { isSet: boolean; plan: ActivePlan };
  };
  /** The reply is what was active. */
  "plans.clear": { request: { scope: StateScope }; reply: ActivePlan | null };
}

export type StoreMethod = keyof StoreMethods;
export type StoreRequest<Method extends StoreMethod> = StoreMethods[Method]["request"];
export type StoreReply<Method extends StoreMethod> = StoreMethods[Method]["reply"];

type Performers = {
  readonly [Method in StoreMethod]: (
    database: Database,
    request: StoreRequest<Method>,
  ) => StoreReply<Method>;
};

const performers: Performers = {
  "plans.get": (database, { scope }) => new PlanTable(database).get(scope),
  "plans.set": (database, { scope, plan }) => new PlanTable(database).setIfInactive(scope, plan),
  "plans.clear": (database, { scope }) => new PlanTable(database).clear(scope),
};

/** One request to the store, whichever method it is for. */
export interface StoreCall<Method extends StoreMethod = StoreMethod> {
  readonly method: Method;
  readonly request: StoreRequest<Method>;
}

/** Runs inside of a transaction. @throws AppError as the method does, SQLite errors */
export function performStoreCall<Method extends StoreMethod>(
  database: Database,
  { method, request }: StoreCall<Method>,
): StoreReply<Method> {
  return performers[method](database, request);
}

/** False for what only reads: it needs no lock and nothing on the disk. */
export function isWrite({ method }: StoreCall): boolean {
  return method !== "plans.get";
}
