import type { TaskReply, TaskRequest } from "../state/store/tasks/task-records.ts";

export type CallbackRequest =
  | {
      readonly action: "set";
      readonly message: string;
      readonly delaySeconds: number;
      /** -1 = forever. */
      readonly repeatCount: number;
    }
  | { readonly action: "list" }
  /** null = all of them. */
  | { readonly action: "cancel"; readonly callbackId: number | null };

export interface Callback {
  /** Slot: 0 to 7. */
  readonly callbackId: number;
  readonly message: string;
  readonly delaySeconds: number;
  /** Milliseconds to the next fire; 0 when it is due. */
  readonly nextFireMs: number;
  /** -1 = forever. */
  readonly firesLeft: number;
}

export interface CallbackReply {
  /** The callbacks that are active now, by slot. */
  readonly callbacks: readonly Callback[];
  /** The callbacks that this request has set or cancelled. */
  readonly changed: readonly Callback[];
}

export interface CallbacksService {
  /** @throws AppError `limit` when all slots are full, `not_found` */
  perform(request: CallbackRequest): Promise<CallbackReply>;
}

export interface PlanState {
  readonly active: boolean;
  readonly goal: string | null;
  /** Absolute real path. */
  readonly planFile: string | null;
  /** ms since 1970. */
  readonly startedAtMs: number | null;
}

/** The plan as its file contains it. */
export interface PlanText {
  /** Absolute real path. */
  readonly planFile: string;
  readonly text: string;
  /** When the plan mode began that it was read in, in ms since 1970. */
  readonly startedAtMs: number;
}

export type PlanChange =
  | { readonly action: "enter"; readonly goal: string; readonly planFile: string | null }
  /** Ends the plan mode that began then, and no later one. */
  | { readonly action: "exit"; readonly startedAtMs: number }
  | { readonly action: "reset" };

export interface PlanReply {
  readonly state: PlanState;
  /** The restrictions that the sandbox can and cannot enforce; empty when plan mode is over. */
  readonly notes: readonly string[];
}

export interface PlanService {
  status(): Promise<PlanReply>;
  /**
   * The text of the plan; `planFile` as the model gave it, null = that of plan mode.
   * @throws AppError `refused` outside of the workspace, `not_found`, `usage` when plan mode is not active
   */
  read(request: { readonly planFile: string | null }): Promise<PlanText>;
  /** @throws AppError `usage`, `refused`, `system` */
  change(request: PlanChange): Promise<PlanReply>;
}

export interface QuestionOption {
  readonly label: string;
  readonly description: string | null;
}

/** "Other", with words of one's own, is always offered besides the options. */
export interface Question {
  readonly question: string;
  readonly header: string | null;
  readonly options: readonly QuestionOption[];
  readonly multiSelect: boolean;
  /** Label of the option that is chosen as long as nobody chooses, where that can be shown: a hasty key agrees to nothing. */
  readonly preselected?: string;
}

export interface QuestionsRequest {
  readonly questions: readonly Question[];
  /** `consent`: yes or no to an act of scorpiox-code; no page is opened for it. */
  readonly purpose: "question" | "consent";
}

/** Where a question was shown. */
export type Rung = "elicitation" | "terminal" | "page";

export interface Answer {
  /** Labels of the options that were chosen. */
  readonly labels: readonly string[];
  /** The text written under "Other". */
  readonly other: string | null;
}

export type QuestionsReply =
  /** One answer for each question, in their order. */
  | { readonly outcome: "answered"; readonly rung: Rung; readonly answers: readonly Answer[] }
  | { readonly outcome: "declined" | "cancelled" | "timed_out"; readonly rung: Rung }
  /** The client's patience is over; the question is still open, and asking the same again gives its answer. */
  | { readonly outcome: "pending"; readonly rung: Rung; readonly questionId: string }
  /**
   * No client could show it. Tried: a client was asked, and failed, went away, or gave an invalid answer; a caller that
   * takes silence for consent must not take this for it.
   */
  | { readonly outcome: "unavailable"; readonly isTried?: true };

export interface QuestionsService {
  /** As `ClientService.ask`: before anything else that changes something. */
  ask(request: QuestionsRequest): Promise<QuestionsReply>;
}

export interface LoadSkillRequest {
  readonly name: string;
  readonly arguments: string | null;
}

export interface LoadedSkill {
  readonly name: string;
  /** The text for the model: the skill's origin, then its text with the arguments filled in. */
  readonly text: string;
  /** Absolute path of its folder; null for a skill that is built in. */
  readonly folder: string | null;
  /** Its other files, relative to the folder, sorted; the first 512. */
  readonly files: readonly string[];
}

export interface SkillsService {
  /** @throws AppError `not_found` with the nearest names, `refused`, `limit`, `system` */
  load(request: LoadSkillRequest): Promise<LoadedSkill>;
}

export type { Task, TaskReply, TaskRequest } from "../state/store/tasks/task-records.ts";

/** A reply, and notices about the file that keeps the tasks. */
export interface TasksReply extends TaskReply {
  /** Sentences; almost always none. */
  readonly notices: readonly string[];
}

/** The request of TaskManager to the store. The service that serves the call knows scope and client. */
export interface TasksService {
  /** Resolves when the change is on the disk. @throws AppError `not_found`, `usage`, `limit`, `system` */
  perform(request: TaskRequest): Promise<TasksReply>;
}
