import { existsSync } from "node:fs";

import type { StartUp } from "../cli/start-up.ts";
import type { ClientContext } from "../calls/call.ts";
import { builtInCards } from "../state/skills/built-in/built-in-cards.ts";
import { skillSources } from "../state/skills/skill-sources.ts";

/** True when it is known at once that a client sees the skills that are built in and no others. */
export async function hasOnlyBuiltIn(
  client: ClientContext,
  { dirs, config }: StartUp,
): Promise<boolean> {
  const { skills } = config.settings;
  if (!builtInCards.every(({ name }) => skills.isEnabled(name))) return false;
  const workspace = await atOnce(client.workspaceDir());
  if (workspace === undefined) return false;
  const { homeDir, scorpioxDir } = dirs;
  const sources = skillSources({ homeDir, scorpioxDir, additional: skills.additional }, workspace);
  // A few microseconds; the first look by way of another thread costs a millisecond.
  return !sources.some(({ dir }) => existsSync(dir));
}

/** Undefined when it has to be waited for: the client is asked for its roots. */
function atOnce(work: Promise<string>): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  setImmediate(() => resolve(undefined));
  return Promise.race([work.catch(() => undefined), promise]);
}
