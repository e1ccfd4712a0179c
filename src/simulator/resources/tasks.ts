import { badRequest, missing, noResource } from '../errors';
import { selfOrAdministrator, writable, type Call } from '../http/call';
import { cutPage, pageOf } from '../http/params';
import { json, type Reply } from '../http/reply';
import { read, write, type Route } from '../http/router';
import type { TaskRecord, TaskRunRecord } from '../state/records';

const tasks = '/portal/sharing/rest/community/users/:username/tasks';

/** Scheduled tasks and their runs (docs/reference/portal-interface.md, "Task runs"). */
export const taskRoutes: readonly Route[] = [
  read('task.list', tasks, list),
  write('task.create', `${tasks}/createTask`, create),
  write('taskRun.update', `${tasks}/:taskId/runs/:runId/update`, updateRun),
  write('taskRun.delete', `${tasks}/:taskId/runs/:runId/delete`, deleteRun),
  read('taskRun.read', `${tasks}/:taskId/runs/:runId`, readRun),
  read('taskRun.list', `${tasks}/:taskId/runs`, listRuns),
  write('task.enable', `${tasks}/:taskId/enable`, (call) => activate(call, true)),
  write('task.disable', `${tasks}/:taskId/disable`, (call) => activate(call, false)),
  write('task.update', `${tasks}/:taskId/update`, update),
  write('task.delete', `${tasks}/:taskId/delete`, remove),
  read('task.read', `${tasks}/:taskId`, readTask),
];

const runStatuses: readonly string[] = [
  'scheduled',
  'executing',
  'succeeded',
  'skipped',
  'failed',
  'submitfailed',
];
/** Older runs are deleted. */
const keptRuns = 30;

function taskOf(call: Call): TaskRecord {
  const { username } = selfOrAdministrator(call, call.path['username'] ?? '');
  const task = call.world.tasks.get(call.path['taskId'] ?? '');
  if (task?.username !== username) throw noResource();
  return task;
}

function runOf(call: Call): { task: TaskRecord; run: TaskRunRecord } {
  const task = taskOf(call);
  const run = call.world.taskRuns.get(call.path['runId'] ?? '');
  if (run?.taskId !== task.id) throw noResource();
  return { task, run };
}

const taskOnWire = (task: TaskRecord): object => ({
  id: task.id,
  itemId: task.itemId,
  type: task.type,
  title: task.title,
  userId: task.username,
  cronSchedule: task.cronSchedule,
  runIntervalSeconds: 0,
  maxOccurrences: 0,
  parameters: task.parameters,
  created: task.created,
  updated: task.updated,
  startDate: task.created,
  active: task.active,
  taskState: task.active ? 'active' : 'paused',
});

const runOnWire = (task: TaskRecord, run: TaskRunRecord): object => ({
  task: taskOnWire(task),
  runId: run.id,
  status: run.status,
  result: run.result,
  created: run.created,
  modified: run.modified,
});

function list(call: Call): Reply {
  const { world, params } = call;
  const { username } = selfOrAdministrator(call, call.path['username'] ?? '');
  const active = params.flag('active');
  const itemId = params.text('itemId');
  const types = params.list('types');
  const found = world.tasks.filter(
    (task) =>
      task.username === username &&
      (active === undefined || task.active === active) &&
      (itemId === undefined || task.itemId === itemId) &&
      (types === undefined || types.includes(task.type)),
  );
  const { info, rows } = cutPage(found, pageOf(params));
  return json({ ...info, activeTasksAvailable: 20, tasks: rows.map(taskOnWire) });
}

function create(call: Call): Reply {
  writable(call);
  const { world, params } = call;
  const { username } = selfOrAdministrator(call, call.path['username'] ?? '');
  const title = params.text('title');
  const type = params.text('type');
  if (title === undefined) throw missing('title');
  if (type === undefined) throw missing('type');
  const names = ['minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'];
  const cronSchedule = Object.fromEntries(names.map((name) => [name, params.text(name) ?? '?']));
  const now = world.now();
  const id = world.newId();
  world.tasks.put(id, {
    id,
    username,
    itemId: params.text('itemId') ?? null,
    type,
    title,
    cronSchedule,
    parameters: (params.json('parameters') ?? {}) as Record<string, unknown>,
    created: now,
    updated: now,
    active: true,
  });
  return json({ success: true, taskId: id });
}

function update(call: Call): Reply {
  writable(call);
  const task = taskOf(call);
  const { params } = call;
  const active = params.flag('isActive') ?? task.active;
  call.world.tasks.change(task.id, {
    title: params.text('title') ?? task.title,
    active,
    updated: call.world.now(),
  });
  return json({ success: true, taskId: task.id });
}

function activate(call: Call, active: boolean): Reply {
  writable(call);
  const task = taskOf(call);
  call.world.tasks.change(task.id, { active, updated: call.world.now() });
  return json({ success: true, taskId: task.id });
}

function remove(call: Call): Reply {
  writable(call);
  const task = taskOf(call);
  for (const run of call.world.taskRuns.filter(({ taskId }) => taskId === task.id))
    call.world.taskRuns.remove(run.id);
  call.world.tasks.remove(task.id);
  return json({ success: true, taskId: task.id });
}

function readTask(call: Call): Reply {
  return json(taskOnWire(taskOf(call)));
}

function listRuns(call: Call): Reply {
  const task = taskOf(call);
  const runs = call.world.taskRuns.filter(({ taskId }) => taskId === task.id).slice(-keptRuns);
  return json({ runs: runs.map((run) => runOnWire(task, run)) });
}

function readRun(call: Call): Reply {
  const { task, run } = runOf(call);
  return json(runOnWire(task, run));
}

/** Since 10.8.1. A result that is not sent is cleared. */
function updateRun(call: Call): Reply {
  if (!call.settings.release.atLeast('10.8.1')) throw noResource();
  writable(call);
  const { task, run } = runOf(call);
  const status = call.params.text('status');
  if (status === undefined) throw missing('status');
  if (!runStatuses.includes(status)) throw badRequest(`'status' must be one of ${runStatuses.join(', ')}.`);
  call.world.taskRuns.change(run.id, {
    status,
    result: call.params.text('result') ?? '',
    modified: call.world.now(),
  });
  return json({ success: true, taskId: task.id, runId: run.id });
}

function deleteRun(call: Call): Reply {
  writable(call);
  const { task, run } = runOf(call);
  call.world.taskRuns.remove(run.id);
  return json({ success: true, taskId: task.id, runId: run.id });
}
