import { from, type Requirement } from "./harness/requirement.ts";
import { appRequirements } from "./requirements-apps.ts";
import { askRequirements } from "./requirements-ask.ts";
import { callbackRequirements } from "./requirements-callbacks.ts";
import { commandLineRequirements } from "./requirements-command-line.ts";
import { connectionRequirements } from "./requirements-connections.ts";
import { fleetRequirements } from "./requirements-fleet.ts";
import { foreignSkillRequirements } from "./requirements-foreign-skills.ts";
import { hookRequirements } from "./requirements-hooks.ts";
import { loginRequirements } from "./requirements-logins.ts";
import { attachRequirements } from "./requirements-attach.ts";
import { hubCommandRequirements } from "./requirements-hub-commands.ts";
import { httpRequirements } from "./requirements-http.ts";
import { hubRequirements } from "./requirements-hub.ts";
import { keptRequirements } from "./requirements-kept.ts";
import { imageRequirements } from "./requirements-images.ts";
import { operationsRequirements } from "./requirements-operations.ts";
import { outputRequirements } from "./requirements-outputs.ts";
import { pageRequirements } from "./requirements-pages.ts";
import { policyRequirements } from "./requirements-policy.ts";
import { planRequirements } from "./requirements-plan.ts";
import { separationRequirements } from "./requirements-separation.ts";
import { sandboxRequirements } from "./requirements-sandbox.ts";
import { questionRequirements } from "./requirements-questions.ts";
import { resourceRequirements } from "./requirements-resources.ts";
import { searchRequirements } from "./requirements-search.ts";
import { taskManagerRequirements } from "./requirements-task-manager.ts";
import { serverCommandRequirements } from "./requirements-server-commands.ts";
import { gatewayCallRequirements } from "./requirements-gateway-calls.ts";
import { serverSourceRequirements } from "./requirements-server-sources.ts";
import { skillRequirements } from "./requirements-skills.ts";
import { taskRequirements } from "./requirements-tasks.ts";
import { upstreamCommandRequirements } from "./requirements-upstream-commands.ts";
import { principalRequirements } from "./requirements-principals.ts";
import { teamRequirements } from "./requirements-team.ts";
import { upstreamManagerRequirements } from "./requirements-upstream-manager.ts";
import { upstreamProcessRequirements } from "./requirements-upstream-processes.ts";
import { toolSearchRequirements } from "./requirements-tool-search.ts";
import { trustRequirements } from "./requirements-trust.ts";
import { webRequirements } from "./requirements-web.ts";

/**
 * What is promised to clients, as data. Each id is cited in square brackets by the name of at least one
 * test of this folder; `coverage.test.ts` fails for an id without a test and for a citation without an id.
 */
export const requirements: Readonly<Record<string, Requirement>> = {
  ...from("2025-11-25/basic/lifecycle", {
    "clients.sdk-v1": "The official SDK v1 lists and calls tools in every legacy revision.",
    "clients.sdk-v2-legacy":
      "The official SDK v2 does in its legacy mode, in every legacy revision.",
  }),
  ...from("2026-07-28/basic/versioning", {
    "clients.sdk-v2-auto": "The official SDK v2 finds the modern revision by itself.",
    "clients.sdk-v2-pinned": "The official SDK v2 works when pinned to the modern revision.",
  }),
  ...from("docs/install.md#what-is-supported", {
    "clients.inspector-cli": "The Inspector's command line lists and calls tools.",
  }),

  ...from("2025-11-25/basic/lifecycle", {
    "protocol.initialize": "`initialize` answers a revision we serve, whatever was asked for.",
    "protocol.before-initialize": "Without a session `ping` is answered, the rest gets a hint.",
  }),
  ...from("2026-07-28/server/discover", {
    "protocol.discover": "`server/discover` needs no session and names modern revisions only.",
  }),
  ...from("2026-07-28/server/tools", {
    "protocol.list-shape": "`tools/list` has the fields of the request's revision, no others.",
    "protocol.call-shape": "`tools/call` has the fields of the request's revision, no others.",
  }),
  ...from("2026-07-28/basic/versioning", {
    "protocol.eras": "Both eras on one pipe, in any order; the era is decided per message.",
    "protocol.mixed":
      "Both eras on one pipe: each request is answered once, or not at all if cancelled.",
  }),
  ...from("2025-03-26/basic/index", {
    "protocol.batch": "Batches are answered under 2025-03-26 and refused elsewhere.",
  }),
  ...from("2026-07-28/basic/index", {
    "protocol.ids": "Each request is answered once, with its id and its id's type.",
    "protocol.strays": "Responses and unknown notifications get no answer.",
  }),
  ...from("2026-07-28/schema", {
    "protocol.schema": "Every message validates against the JSON schema of its revision.",
  }),

  ...from("2026-07-28/basic/transports/stdio", {
    "stdio.purity": "stdout carries protocol messages only, whatever Workers and children print.",
    "stdio.utf8": "Invalid UTF-8 does no harm; characters may be cut between writes.",
    "stdio.framing": "CRLF, blank lines and slow writers are fine.",
  }),
  ...from("docs/protocol.md#transport", {
    "stdio.line-cap": "Lines of 16 MiB are served, longer ones refused; the next one is served.",
    "stdio.depth": "Input nested without measure is refused.",
    "stdio.bad-json": "What is no message gets one error without an id.",
  }),
  ...from("docs/protocol.md#calls", {
    "stdio.bare-eof": "All input at once and then its end: every request gets its reply.",
  }),

  ...from("2026-07-28/server/tools", {
    "tools.bad-arguments": "Wrong arguments are refused by name, in the form of the revision.",
    "tools.unknown": "An unknown tool is -32602 and named.",
  }),

  ...from("2026-07-28/basic/patterns/cancellation", {
    "cancel.group": "Cancelling ends all that a command started, within a bound.",
    "cancel.silence": "After a cancellation nothing mentions the request.",
    "cancel.unknown": "Cancelling what is not in flight does nothing.",
  }),
  ...from("docs/output.md#background-tasks", {
    "cancel.waiting-read": "A cancelled read loses no output.",
  }),
  ...from("2026-07-28/basic/patterns/progress", {
    "progress.lines":
      "New lines are reported as they come, each once, in order, before the result.",
    "progress.rate": "At most 10 progress notifications a second.",
    "progress.token": "No progress without a token or with STREAMING=false.",
  }),
  ...from("docs/output.md#progress", {
    "progress.heartbeat": "A silent call with a token is heard of at least every 10 s.",
  }),
  ...from("docs/commands-and-processes.md#hand-over", {
    "handover.bytes": "A command beyond the client's budget goes on as a task; no byte is lost.",
    "handover.timeout": "A handed-over command keeps its own timeout.",
    "handover.read-budget": "Waiting reads answer within the client's budget.",
  }),
  ...from("docs/commands-and-processes.md#background-tasks", {
    "background.life":
      "Background tasks are started, listed, read and killed with all they started.",
  }),
  ...from("docs/output.md#background-tasks", {
    "background.lines": "Reads lose and repeat nothing.",
  }),
  ...from("docs/commands-and-processes.md#how-a-call-ends", {
    "bash.nothing-left": "A command that ends leaves nothing running and is not waited for.",
    "bash.timeout": "A command that runs out of time leaves nothing running.",
  }),
  ...from("docs/commands-and-processes.md#how-a-command-runs", {
    "bash.parallel": "Many commands run side by side.",
  }),
  ...from("docs/output.md#in-which-form", {
    "result.forms": "A result is complete in every form in which it is sent.",
    "result.seen":
      "What the model of each kind of client gets of a result is known, and no fact stands in one form alone.",
    "result.foreign":
      "Nothing of ours is put into another server's data; what it cannot carry waits.",
    "result.once": "A client that knows no structured content gets a result once.",
  }),
  ...from("docs/output.md#how-much-is-shown", {
    "result.cut": "Long results are cut to the client's limit; one private file holds the whole.",
  }),

  ...from("2026-07-28/basic/transports/stdio", {
    "exit.eof-idle": "An idle server ends soon after the end of its input.",
    "exit.eof-busy": "A busy server ends soon after the end of its input, and its children too.",
  }),
  ...from("docs/commands-and-processes.md#what-survives-what", {
    "exit.signal": "TERM, INT and HUP end the server and its children.",
    "exit.wiped":
      "A process without group, session, parent and environment of its command ends with it, however fast it forks.",
    "exit.kill-9": "kill -9 of the server leaves no child; others' children are not touched.",
  }),
  ...from("docs/install.md#from-a-release", {
    "upgrade.running": "A binary may be replaced while it runs.",
  }),
  ...from("docs/install.md#from-a-checkout", {
    "readme.runs": "Every command and every file that the README shows works as it stands.",
    "pages.run":
      "So does every command and every file on the pages of the tracks Start and Clients that needs no other machine.",
  }),
  ...from("docs/configuration.md#files", {
    "home.shared": "Two servers on one home work side by side.",
  }),

  ...from("docs/commands-and-processes.md#how-a-command-runs", {
    "start.login-path": "Commands have the PATH of the user's login shell.",
    "start.secrets": "Commands do not see the server's own settings.",
  }),
  ...from("docs/configuration.md#what-a-project-may-set", {
    "start.hostile-folder": "Files of the working folder change nothing but what they may.",
  }),
  ...from("docs/troubleshooting.md#the-command-could-not-be-started-enoent", {
    "start.missing-shell": "A missing shell is named with its remedy.",
    "start.vanished-folder": "A vanished working folder is named.",
  }),
  ...from("docs/troubleshooting.md#the-home-folder-is-read-only-or-full", {
    "start.read-only-home": "A read-only home does not stop commands.",
    "start.strange-home": "A missing, empty or wrong HOME does not stop the server.",
  }),
  ...from("docs/configuration.md#files", {
    "config.comments": "Comments behind values, quotes and export are read as people write them.",
  }),
  ...from("docs/configuration.md#where-values-come-from", {
    "config.switches": "TOOLS and TOOL_<NAME> hide tools and refuse calls to them.",
  }),
  ...from("docs/configuration.md#when-something-is-wrong", {
    "config.bad-file": "A malformed configuration is told, and the server serves.",
    "config.unreadable-switch": "A switch that cannot be read is off, and the client is told so.",
    "cli.wrong-usage": "Wrong usage exits with 2 and names what was wrong.",
  }),

  ...from("docs/ARCHITECTURE.md#cross-cutting", {
    "worker.reason": "A tool that breaks fails with its reason.",
    "worker.others": "A tool that breaks disturbs no other call and is not tried again.",
    "worker.cancel": "A tool that hangs can be cancelled.",
    "worker.exit": "A tool that hangs does not keep the server from ending.",
  }),
  ...from("docs/output.md#how-much-is-shown", {
    "worker.huge-text": "A huge text is cut and saved whole.",
  }),
  ...from("docs/output.md#order", {
    "worker.bad-text": "Text that is not well-formed is repaired.",
  }),

  ...askRequirements,
  ...attachRequirements,
  ...hubCommandRequirements,
  ...hookRequirements,
  ...gatewayCallRequirements,
  ...loginRequirements,
  ...callbackRequirements,
  ...httpRequirements,
  ...serverSourceRequirements,
  ...serverCommandRequirements,
  ...skillRequirements,
  ...taskRequirements,
  ...taskManagerRequirements,
  ...hubRequirements,
  ...keptRequirements,
  ...imageRequirements,
  ...outputRequirements,
  ...pageRequirements,
  ...searchRequirements,
  ...webRequirements,
  ...toolSearchRequirements,
  ...trustRequirements,
  ...upstreamCommandRequirements,
  ...upstreamProcessRequirements,
  ...appRequirements,
  ...foreignSkillRequirements,
  ...principalRequirements,
  ...teamRequirements,
  ...fleetRequirements,
  ...operationsRequirements,
  ...separationRequirements,
  ...upstreamManagerRequirements,
  ...planRequirements,
  ...policyRequirements,
  ...questionRequirements,
  ...sandboxRequirements,
  ...resourceRequirements,
  ...commandLineRequirements,
  ...connectionRequirements,
};
