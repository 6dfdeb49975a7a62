import { realpathSync } from "node:fs";
import { isAbsolute } from "node:path";

import { AppError } from "../base/errors.ts";
import { folderLookMs, realFoldersMax } from "../base/limits.ts";
import type { StateScope } from "../base/server-events.ts";
import type { ServiceMethod, ServiceRequest } from "../tools/services.ts";
import type {
  CallbackReply,
  CallbackRequest,
  LoadedSkill,
  LoadSkillRequest,
  PlanChange,
  PlanReply,
  PlanText,
  QuestionsReply,
  QuestionsRequest,
  TaskRequest,
  TasksReply,
} from "../tools/state-services.ts";
import type { CallRequest, ClientContext } from "./call.ts";

/** The folder in which the commands of this client run. @throws AppError `system` when it is not an absolute path */
export async function workspaceDirOf(client: ClientContext): Promise<string> {
  const folder = await client.workspaceDir();
  if (isAbsolute(folder)) return folder;
  throw new AppError("system", `The workspace folder is not an absolute path: ${folder}`);
}

/** A call that asks something of the user, and how long its client waits for it. */
export interface AskingCall {
  readonly call: CallRequest;
  /** On the clock of `performance.now()`; undefined = no limit. */
  readonly answerAt: number | undefined;
  /** True when the handler has had something done before, so that it cannot run again from its start. */
  readonly hasActed: boolean;
}

/** The services that keep state beyond a call, for all clients; the call identifies the client. */
export interface StateServices {
  readonly tasks: { perform(request: TaskRequest, call: CallRequest): Promise<TasksReply> };
  readonly plan: {
    status(call: CallRequest): Promise<PlanReply>;
    read(request: { readonly planFile: string | null }, call: CallRequest): Promise<PlanText>;
    change(request: PlanChange, call: CallRequest): Promise<PlanReply>;
  };
  readonly questions: {
    /** @throws InputNeeded to be let through */
    ask(request: QuestionsRequest, asking: AskingCall): Promise<QuestionsReply>;
  };
  readonly skills: { load(request: LoadSkillRequest, call: CallRequest): Promise<LoadedSkill> };
  readonly callbacks: {
    perform(request: CallbackRequest, call: CallRequest): Promise<CallbackReply>;
  };
}

/** Methods of `StateServices`. */
const stateMethods = [
  "tasks.perform",
  "plan.status",
  "plan.read",
  "plan.change",
  "questions.ask",
  "skills.load",
  "callbacks.perform",
] as const satisfies readonly ServiceMethod[];

export type StateMethod = (typeof stateMethods)[number];

export function isStateCall<Call extends ServiceRequest>(
  call: Call,
): call is Extract<Call, { readonly method: StateMethod }> {
  const methods: readonly ServiceMethod[] = stateMethods;
  return methods.includes(call.method);
}

/** Performs a handler's request on one of the services. */
export function performStateCall(
  services: StateServices,
  { method, request }: ServiceRequest<StateMethod>,
  asking: AskingCall,
): Promise<unknown> {
  const { call } = asking;
  switch (method) {
    case "tasks.perform":
      return services.tasks.perform(request, call);
    case "plan.status":
      return services.plan.status(call);
    case "plan.read":
      return services.plan.read(request, call);
    case "plan.change":
      return services.plan.change(request, call);
    case "questions.ask":
      return services.questions.ask(request, asking);
    case "skills.load":
      return services.skills.load(request, call);
    case "callbacks.perform":
      return services.callbacks.perform(request, call);
  }
}

/** Plan mode, when it is on. */
export interface ActivePlan {
  readonly planFile: string;
}

/** The plan mode of the call's workspace, when it is on. */
export type ActivePlanOf = (
  call: CallRequest,
) => ActivePlan | undefined | Promise<ActivePlan | undefined>;

/** Whose tasks and plan a client sees: those of its workspace and its owner. */
export async function scopeOf(client: ClientContext): Promise<StateScope> {
  const { owner = "", workspaceName } = client;
  if (workspaceName !== undefined) return { workspace: workspaceName, owner };
  return { workspace: realFolder(await workspaceDirOf(client)), owner };
}

/** The scope as `scopeOf` gives it, without waiting; undefined when the client has to be asked for its workspace, or names none that can be. */
export function scopeNow(client: ClientContext): StateScope | undefined {
  const { owner = "", workspaceName } = client;
  if (workspaceName !== undefined) return { workspace: workspaceName, owner };
  const folder = client.workspaceKnown?.();
  if (folder === undefined || !isAbsolute(folder)) return undefined;
  return { workspace: realFolder(folder), owner };
}

/** The real path of a folder, which is looked up again after `until`, on the clock of `performance.now()`. */
interface RealFolder {
  readonly path: string;
  readonly until: number;
}

const realFolders = new Map<string, RealFolder>();

/**
 * A folder that is gone still has its tasks. Every command and most calls of upstream tools ask, so this does not wait for
 * another thread, which takes some hundred microseconds: looking takes ten, once in `folderLookMs`.
 */
function realFolder(folder: string): string {
  const now = performance.now();
  const known = realFolders.get(folder);
  if (known !== undefined && now < known.until) return known.path;
  const path = lookAtFolder(folder);
  if (realFolders.size >= realFoldersMax) realFolders.clear();
  realFolders.set(folder, { path, until: now + folderLookMs });
  return path;
}

function lookAtFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}
