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
  const DAY_MS = 86_400_000;
  makeRun(newest, created + DAY_MS);
  makeRun(older, created);
  /** Makes one more run of it, as the portal does when its time comes. */
  function makeRun(run: string, at: number, word: { status?: string; result?: string } = {}): string {
    const made = { id: run, taskId: id, status: 'scheduled', result: '', created: at, modified: at };
    world.taskRuns.put(run, { ...made, ...word });
    return run;
  }
  const posts = () =>
    requests().filter(({ operation, path }) => operation === 'taskRun.update' && path.includes(id));
  return {
    id,
    older,
    /** When its older run was created. @format milliseconds since the epoch */
    olderIsOf: created,
    newest,
    makeRun,
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
