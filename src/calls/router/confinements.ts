import type { Confinement } from "../../commands/background/confinement.ts";
import type { CallRequest } from "../call.ts";

/** Decides how the commands of a call are confined: by configuration, and by plan mode. */
export interface Confinements {
  /**
   * Undefined: not at all. Whoever asks has the command started, or releases it.
   * @throws AppError `refused` when what was chosen cannot be enforced here: nothing runs outside of a sandbox that was asked for
   */
  forCommand(call: CallRequest, cwd: string): Promise<Confinement | undefined>;
}
