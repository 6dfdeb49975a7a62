/** The least that a gateway without a Worker can do: bytes to the server, its command line being this program's, and back. */
import { writeSync } from "node:fs";

const { stdin, stdout } = Bun.spawn(process.argv.slice(2), { stdin: "pipe", stdout: "pipe" });

async function answer(): Promise<void> {
  for await (const chunk of stdout) writeSync(1, chunk);
}

void answer();
for await (const chunk of Bun.stdin.stream()) {
  void stdin.write(chunk);
  void stdin.flush();
}
process.exit();
