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
  /** What was written under "Other". */
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
