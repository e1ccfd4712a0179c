import { randomBytes } from 'node:crypto';
import type { Simulator } from '../../src/simulator/simulator';

/** A scheduled task of the group's owner on a portal, with two runs of which one is newer. */
export function scheduledTask({ world, requests }: Simulator) {
  const id = randomBytes(8).toString('hex');
  const [older, newest] = [`${id}-1`, `${id}-2`];
  const created = Date.UTC(2026, 10, 20, 2);
  world.tasks.put(id, {
    id,
    username: 'owner',
    itemId: null,
    type: 'ExecuteNotebook',
    title: 'Nightly sync',
    cronSchedule: { minute: '0', hour: '2', dayOfMonth: '?', month: '*', dayOfWeek: '*' },
    parameters: {},
    created,
    updated: created,
    active: true,
  });
  // The newer one is put first, since what a portal lists first says nothing of when it was created.
  for (const [run, days] of [
    [newest, 1],
    [older, 0],
  ] as const) {
    const at = created + days * 86_400_000;
    world.taskRuns.put(run, {
      id: run,
      taskId: id,
      status: 'scheduled',
      result: '',
      created: at,
      modified: at,
    });
  }
  const posts = () =>
    requests().filter(({ operation, path }) => operation === 'taskRun.update' && path.includes(id));
  return {
    id,
    older,
    newest,
    said: (run: string): { status: string | undefined; result: string | undefined } => {
      const found = world.taskRuns.get(run);
      return { status: found?.status, result: found?.result };
    },
    /** How often a run of it was written. */
    posts: (): number => posts().length,
    /** The words that its runs were told, in their order. */
    statuses: (): (string | undefined)[] => posts().map(({ params }) => params['status']),
  };
}
