import { spawn } from "node:child_process";

/** The plainest way to run a command and answer with its output; both SDK servers use it. */
export function runCommand(command) {
  return new Promise((resolve) => {
    const child = spawn("/bin/bash", ["-c", command], { stdio: ["ignore", "pipe", "ignore"] });
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.on("close", () => {
      resolve({ content: [{ type: "text", text: Buffer.concat(chunks).toString() }] });
    });
  });
}
