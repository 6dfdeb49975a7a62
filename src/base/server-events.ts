/** Whose durable state it is: tasks and the plan of one workspace and one owner. */
export interface StateScope {
  /** Real path of the workspace folder, or the name that `--workspace` gives it. */
  readonly workspace: string;
  /** Empty for the user of this machine; over HTTP the id of the principal. */
  readonly owner: string;
}

/** Something that happened to what the server keeps. Hooks, resource updates and attached terminals listen. */
export type ServerEvent =
  | {
      readonly kind: "task";
      readonly scope: StateScope;
      readonly change: "created" | "step_added" | "step_completed" | "completed" | "switched";
      readonly taskId: number;
      readonly stepId: number | null;
    }
  | {
      readonly kind: "plan";
      readonly scope: StateScope;
      readonly change: "entered" | "exited" | "reset";
      readonly planFile: string | null;
    }
  | {
      readonly kind: "background";
      readonly clientId: string;
      readonly taskId: number;
      readonly command: string;
      readonly change: "started" | "ended";
      /** Set when it ended by itself. */
      readonly exitCode: number | null;
    }
  | {
      readonly kind: "callback";
      readonly clientId: string;
      readonly callbackId: number;
      readonly change: "set" | "fired" | "cancelled" | "ended";
      readonly message: string;
    }
  /** An upstream server has failed: runs the hooks of `api_error`. */
  | {
      readonly kind: "api_error";
      readonly server: string;
      /** A word for the kind of failure, such as `timeout`. */
      readonly reason: string;
      readonly text: string;
    };

export type ServerEventListener = (event: ServerEvent) => void;

/** The one stream of events of a process. A listener that throws does not keep the others from hearing. */
export class EventStream {
  readonly #listeners = new Set<ServerEventListener>();
  readonly #onFailure: (error: unknown) => void;

  /** @param onFailure told what a listener threw */
  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Returns how to stop listening. */
  listen(listener: ServerEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  readonly emit = (event: ServerEvent): void => {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#onFailure(error);
      }
    }
  };
}
