import type { ExportedTask } from "../../state/store/tasks/task-transfer.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { startUp, startUpFlags } from "../start-up.ts";
import { taskFileOf } from "../task-file.ts";
import { askStore, hasStore, taskScope } from "../task-store.ts";

export const tasksExportCommand: Command = {
  usage: "[FLAGS]",
  description:
    "Prints all tasks of the workspace as JSON, which tasks import reads: scorpiox-code tasks export > tasks.json",
  flags: {
    json: { kind: "switch", help: "Print JSON (always on)." },
    ...startUpFlags,
  },
  arguments: { min: 0, max: 0 },
  run({ args, io, print }) {
    const start = startUp(args, io, print);
    const call = { method: "tasks.export", request: { scope: taskScope(start, io) } } as const;
    const tasks = hasStore(start) ? (askStore(start, call, print) as ExportedTask[]) : [];
    print.json(taskFileOf(tasks));
    return Promise.resolve(exitCodes.done);
  },
};
