import type { StateScope } from "../../base/server-events.ts";
import {
  claimState,
  type DocumentChange,
  documentVersion,
  getDocument,
  listDocuments,
  putDocument,
  type StoredDocument,
  takeDocument,
} from "./documents.ts";
import { type ActivePlan, clearPlan, getPlan, setPlanIfInactive } from "./plans.ts";
import type { Dialect, Steps } from "./steps.ts";
import { performTaskRequest } from "./tasks/task-book.ts";
import { readRevisions } from "./tasks/task-table.ts";
import type { TaskReply, TaskRequest } from "./tasks/task-records.ts";
import {
  type ExportedTask,
  exportTasks,
  importTasks,
  type TransferredTask,
} from "./tasks/task-transfer.ts";

/** The methods of the store Worker. Requests and replies cross as JSON. */
interface StoreMethods {
  "tasks.perform": { request: { scope: StateScope; request: TaskRequest }; reply: TaskReply };
  "tasks.export": { request: { scope: StateScope }; reply: ExportedTask[] };
  /** The reply has the new ids. */
  "tasks.import": {
    request: { scope: StateScope; tasks: readonly TransferredTask[] };
    reply: { taskIds: number[] };
  };
  /** Changes of their tasks so far; 0 where there were never any. */
  "tasks.revisions": { request: { scopes: readonly StateScope[] }; reply: number[] };
  /** Records the use of a `requestState`, once. */
  "states.use": { request: { use: string; expiresAtMs: number }; reply: { isFirst: boolean } };
  "documents.get": { request: { name: string }; reply: StoredDocument | null };
  "documents.version": { request: { name: string }; reply: number };
  /** Only if it is still of that version. */
  "documents.put": {
    request: { name: string } & DocumentChange;
    reply: { isPut: boolean };
  };
  "documents.list": { request: { prefix: string; countMax: number }; reply: string[] };
  "documents.take": { request: { name: string }; reply: string | null };
  "plans.get": { request: { scope: StateScope }; reply: ActivePlan | null };
  /** Unless one is active; the reply says which one is then. */
  "plans.set": {
    request: { scope: StateScope; plan: ActivePlan };
    reply: { isSet: boolean; plan: ActivePlan };
  };
  /** The reply is the ended plan mode: the active one if it began at `startedAtMs` (null: whenever it began). */
  "plans.clear": {
    request: { scope: StateScope; startedAtMs: number | null };
    reply: ActivePlan | null;
  };
}

export type StoreMethod = keyof StoreMethods;
type StoreRequest<Method extends StoreMethod> = StoreMethods[Method]["request"];
export type StoreReply<Method extends StoreMethod> = StoreMethods[Method]["reply"];

type Performers = {
  readonly [Method in StoreMethod]: (
    dialect: Dialect,
    request: StoreRequest<Method>,
  ) => Steps<StoreReply<Method>>;
};

const performers: Performers = {
  "tasks.perform": (dialect, { scope, request }) => performTaskRequest(dialect, scope, request),
  "tasks.export": (dialect, { scope }) => exportTasks(dialect, scope),
  "tasks.import": (dialect, { scope, tasks }) => importTasks(dialect, scope, tasks),
  "tasks.revisions": (_dialect, { scopes }) => readRevisions(scopes),
  "states.use": (dialect, { use, expiresAtMs }) => claimState(dialect, use, expiresAtMs),
  "documents.get": (dialect, { name }) => getDocument(dialect, name),
  "documents.version": (dialect, { name }) => documentVersion(dialect, name),
  "documents.put": (dialect, { name, ...document }) => putDocument(dialect, name, document),
  "documents.list": (dialect, { prefix, countMax }) => listDocuments(dialect, prefix, countMax),
  "documents.take": (dialect, { name }) => takeDocument(dialect, name),
  "plans.get": (_dialect, { scope }) => getPlan(scope),
  "plans.set": (_dialect, { scope, plan }) => setPlanIfInactive(scope, plan),
  "plans.clear": (_dialect, { scope, startedAtMs }) => clearPlan(scope, startedAtMs),
};

/** One request to the store, whichever method it is for. */
export type StoreCall<Any extends StoreMethod = StoreMethod> = {
  readonly [Method in Any]: { readonly method: Method; readonly request: StoreRequest<Method> };
}[Any];

/** Runs inside of a transaction. @throws AppError as the method does */
export function storeCallSteps<Method extends StoreMethod>(
  dialect: Dialect,
  { method, request }: StoreCall<Method>,
): Steps<StoreReply<Method>> {
  return performers[method](dialect, request);
}

const readingMethods: ReadonlySet<StoreMethod> = new Set([
  "plans.get",
  "tasks.export",
  "tasks.revisions",
  "documents.get",
  "documents.version",
  "documents.list",
]);

/** False for a method that only reads: it needs no lock and nothing on the disk. */
export function isWrite({ method, request }: StoreCall): boolean {
  if (method === "tasks.perform") {
    return request.request.action !== "list" && request.request.action !== "pending";
  }
  return !readingMethods.has(method);
}
