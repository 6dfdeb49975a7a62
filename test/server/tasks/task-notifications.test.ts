import { describe, expect, test } from "bun:test";
import { modern, notification } from "../harness.ts";
import {
  accepted,
  declaring,
  fields,
  form,
  missing,
  startTask,
  type WithTask,
} from "./task-harness.ts";

const SUB = "io.modelcontextprotocol/subscriptionId";

/** The acknowledgement, and what was sent with it. */
function listen(
  task: WithTask,
  count: number,
  taskIds: unknown,
  id: unknown = 5,
): Promise<unknown> {
  const params = { notifications: { taskIds } };
  return task.exchange(count, modern(id, "subscriptions/listen", params, declaring));
}

function acknowledged(taskIds: readonly string[], id: unknown = 5): object {
  return notification("notifications/subscriptions/acknowledged", {
    _meta: { [SUB]: id },
    notifications: taskIds.length === 0 ? {} : { taskIds },
  });
}

/** What is told of a task: as `tasks/get` shows it, tagged with the subscription. */
function told(status: string, more: object = {}, id: unknown = 5): object {
  const { resultType: _, ...task } = fields(status, more) as Record<string, unknown>;
  return notification("notifications/tasks", { ...task, _meta: { [SUB]: id } });
}

describe("notifications/tasks", () => {
  test("tells each state of the tasks that were asked for, whole, and of no other", async () => {
    const task = await startTask();
    const { taskId } = task;
    expect(await listen(task, 2, [taskId, "unknown"])).toEqual([
      acknowledged([taskId]),
      told("working"),
    ]);
    const other = task.call.ask?.ask(form("name"));
    const inputRequests = form("name");
    expect(await task.exchange(1)).toEqual([told("input_required", { inputRequests })]);
    const update = { taskId, inputResponses: { name: accepted } };
    const [resumed, reply] = await task.exchange(2, modern(6, "tasks/update", update, declaring));
    expect([resumed, reply]).toEqual([told("working"), expect.objectContaining({ id: 6 })]);
    await other;
    task.tools.answer(0, '{"content":[],"isError":true}');
    expect(await task.exchange(1)).toEqual([
      told("completed", { result: { content: [], isError: true } }),
    ]);
    expect(await task.exchange(0)).toEqual([]);
  });

  test("a task that had ended before is told as it is, to each listener with its own id", async () => {
    const task = await startTask();
    await task.ask("tasks/cancel");
    for (const id of ["5", 5, ""]) {
      expect(await listen(task, 2, [task.taskId], id)).toEqual([
        acknowledged([task.taskId], id),
        told("cancelled", {}, id),
      ]);
    }
  });

  test("nothing more is told when the client has ended the subscription", async () => {
    const task = await startTask();
    await listen(task, 2, [task.taskId]);
    task.transport.deliver(notification("notifications/cancelled", { requestId: 5 }));
    expect(
      await task.exchange(1, modern(6, "tasks/cancel", { taskId: task.taskId }, declaring)),
    ).toEqual([expect.objectContaining({ id: 6 })]);
  });

  test("-32021 without the extension, -32602 for what is no list of ids", async () => {
    const task = await startTask();
    const ask = async (taskIds: unknown, capabilities: object): Promise<unknown> =>
      task.ask("subscriptions/listen", { notifications: { taskIds } }, capabilities);
    expect(await ask([task.taskId], {})).toMatchObject(missing);
    expect(await ask([], {})).toMatchObject(missing);
    expect(await ask("x", declaring)).toMatchObject({ code: -32602 });
    expect(await ask([1], declaring)).toMatchObject({ code: -32602 });
  });
});
