import type { TerminalMessage } from "../attach/messages.ts";
import type { AttachModel } from "./attach-model.ts";
import type { Key } from "./keys.ts";
import type { Look } from "./look.ts";
import type { Size } from "./painter.ts";

/** The parts of the application that a view may use. */
export interface ViewContext {
  readonly model: AttachModel;
  readonly look: Look;
  readonly send: (serverId: string, message: TerminalMessage) => void;
  /** Sends a request that is answered by its number; a failure is shown in the bottom line. */
  readonly request: (serverId: string, message: (request: number) => TerminalMessage) => void;
  /** Asks in the bottom line; anything but `y` is no. */
  readonly confirm: (question: string, onYes: () => void) => void;
  /** Says something in the bottom line until the next key. */
  readonly notice: (text: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A key and its action here. */
export type Hint = readonly [key: string, meaning: string];

/** One of the pages between which Tab switches. */
export interface View {
  readonly title: string;
  /** The number behind the tab's title; 0 shows nothing. */
  readonly count: number;
  readonly hints: readonly Hint[];
  /** Somebody writes: keys are text, and nothing else comes to the front. */
  readonly isWriting: boolean;
  /** Styled lines, `rows` at most, each of `columns` cells at most. */
  draw(size: Size): readonly string[];
  /** False when the key means nothing here. */
  press(key: Key): boolean;
}
