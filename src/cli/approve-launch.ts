import type { ConfiguredServer } from "../upstream/config/server-entry.ts";
import { approveLaunchOf, revokeLaunchOf } from "../upstream/trust/launch-approval.ts";
import { launchLines, launchRow } from "../upstream/trust/launch-lines.ts";
import { installServers } from "./install-servers.ts";
import type { Approval } from "./approval.ts";

/** Shows the launch of a project's server and records the user's decision. False: nothing was approved. */
export async function decideLaunch(approval: Approval, server: ConfiguredServer): Promise<boolean> {
  const { context, view, choice } = approval;
  const { entry, identity } = server;
  const { name } = entry;
  // Without a project there are no entries of one.
  const projectDir = view.config.projectDir ?? "";
  approval.servers.push({ name, file: entry.origin.file ?? null, ...launchRow(server) });
  if (choice === "revoke") {
    const isChanged = await revokeLaunchOf(server, projectDir, view.store);
    context.print.note(isChanged ? `${name}: no longer approved.` : `${name}: there was nothing.`);
    return true;
  }
  if (choice === "deny") {
    await view.store.denyLaunch(identity, projectDir);
    context.print.note(`${name}: refused; it is not started, and you are not asked again.`);
    return true;
  }
  if (!context.args.has("json")) {
    context.print.line(`${name}  (of the project, not approved)`);
    for (const line of launchLines(server)) context.print.line(line);
  }
  if (!(await approval.confirm(`Let ${name} run in this project?`))) return false;
  await approveLaunchOf(server, projectDir, view.store);
  context.print.note(`${name}: approved.`);
  await installServers(context, view.start, [server]);
  return true;
}
