/** The file system of the image with the bounds of compose.yaml: first process, no rights, nothing to write but home and /tmp. */
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { productBinary } from "../../../test/e2e/harness/binary.ts";
import { eventually } from "../../../test/e2e/harness/conditions.ts";
import { freePort } from "../../../test/e2e/harness/free-port.ts";
import { HttpClient, onlyMessage } from "../../../test/e2e/harness/http-client.ts";
import { textOf } from "../../../test/e2e/harness/messages.ts";
import { folder, notRun, type Row } from "../packages/rehearsal.ts";
import { freshRoot, missing } from "../packages/systems.ts";

const asked =
  "echo user $(id -u) parent $PPID; touch /opt/x 2>/dev/null || echo read-only; touch ~/x && echo home";
const expected = "user 1000 parent 1\nread-only\nhome\n";

export async function imageRow(): Promise<Row> {
  const name = "image";
  const reason = missing(["bwrap", "debootstrap"]);
  if (reason !== undefined) return notRun(name, reason);
  const made = freshRoot("image-server");
  if ("reason" in made) return notRun(name, made.reason);
  const { path } = made;
  const home = join(folder, "image-home");
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home);
  mkdirSync(join(path, "opt/scorpiox-code"), { recursive: true });
  mkdirSync(join(path, "home/you"), { recursive: true });
  copyFileSync(productBinary, join(path, "opt/scorpiox-code/scorpiox-code"));
  const port = freePort();
  const mounts = ["--ro-bind", path, "/", "--bind", home, "/home/you", "--tmpfs", "/tmp"];
  const devices = ["--proc", "/proc", "--dev", "/dev", "--unshare-user", "--unshare-pid"];
  const user = [
    "--as-pid-1",
    "--die-with-parent",
    "--uid",
    "1000",
    "--gid",
    "1000",
    "--cap-drop",
    "ALL",
  ];
  const variables = [
    "--clearenv",
    "--setenv",
    "HOME",
    "/home/you",
    "--setenv",
    "PATH",
    "/usr/bin:/bin",
  ];
  const program = ["/opt/scorpiox-code/scorpiox-code", "serve", "--http", `127.0.0.1:${port}`];
  const argv = [
    "bwrap",
    ...mounts,
    ...devices,
    ...user,
    ...variables,
    "--chdir",
    "/home/you",
    ...program,
  ];
  const server = Bun.spawn([...argv, "--allow-any-local-user"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    const client = new HttpClient(`http://127.0.0.1:${port}/mcp`);
    const isReady = async (): Promise<boolean> =>
      await client.fetch({ method: "GET", path: "/readyz" }).then(
        ({ ok }) => ok,
        () => false,
      );
    await eventually("the server in the image", isReady);
    const call = { name: "Bash", arguments: { command: asked } };
    const said = textOf(onlyMessage(await client.modern("tools/call", call)));
    if (said !== expected) return [name, "FAIL", said];
    return [name, "pass", "serves as pid 1 and user 1000, without rights, on a read-only root"];
  } catch (error) {
    server.kill("SIGKILL");
    return [name, "FAIL", `${String(error)} ${(await server.stderr.text()).slice(-300)}`];
  } finally {
    server.kill("SIGKILL");
    await server.exited;
  }
}
