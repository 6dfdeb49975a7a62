import { from, type Requirement } from "./harness/requirement.ts";

/** What the sandbox for commands promises. */
export const sandboxRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/sandbox.md#plan-mode", {
    "sandbox.plan": "In plan mode commands write nothing but the plan file and their TMPDIR.",
    "sandbox.plan-unheld": "Plan mode where nothing can hold commands says so in each result.",
  }),
  ...from("docs/sandbox.md#which-sandbox", {
    "sandbox.user": "A sandbox that works for root works for a user who is not root.",
    "sandbox.processes":
      "Commands change nothing of other processes: limits, priorities, what they share.",
  }),
  ...from("docs/sandbox.md#what-may-be-read", {
    "sandbox.secrets": "Under bubblewrap commands do not read the secrets of this program.",
  }),
  ...from("docs/sandbox.md#what-may-be-written", {
    "sandbox.workspace":
      "workspace-write opens the workspace and keeps what other programs run or believe.",
    "sandbox.tmpdir": "A command's private TMPDIR is gone after it.",
  }),
  ...from("docs/sandbox.md#the-network", {
    "sandbox.network": "SANDBOX_NETWORK=off holds for TCP, UDP and sockets of this machine.",
  }),
  ...from("docs/sandbox.md#when-it-cannot-be-held", {
    "sandbox.refused": "A sandbox that was chosen and is not there refuses to run anything.",
  }),
  ...from("docs/sandbox.md#how-commands-run-in-it", {
    "sandbox.end":
      "Exit codes, order, hand-over and the way commands are ended are those of other commands.",
  }),
};
