import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runRecord, type RunRecord } from '../../../src/model/run/run';
import type { Ended } from '../../support/child';
import { inProcess } from '../../support/in-process';
import type { Rehearsal } from '../../support/rehearsal';
import { appItemId, openPipeline } from './a-pipeline';
import { jsonOf } from '../../support/json';

let rehearsal: Rehearsal;
const run = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: rehearsal.folder });
const recordOf = async (...args: string[]): Promise<RunRecord> => {
  return runRecord.parse(jsonOf(await run(...args, '-o', 'json')));
};

beforeAll(async () => {
  rehearsal = await openPipeline({}, { portals: { policy: { writes: 'required', twoPeople: true } } });
  await recordOf('release', 'create', 'transport');
});
afterAll(() => rehearsal.close());

describe('a promotion into a portal whose policy asks for a second person', () => {
  it('waits in spite of --yes, is not let go on by whoever began it, and takes the yes of somebody else, as its rollback does [P13]', async () => {
    const { target, temporal } = rehearsal;
    const items = (): unknown[] => target.world.items.filter(({ id }) => id === appItemId);
    for (const [args, there] of [
      [['promote', 'transport', '--to', 'staging'], 1],
      [['promote', 'rollback', 'transport', 'staging'], 0],
    ] as const) {
      const { runId } = await recordOf(...args, '--yes', '--no-wait');
      const handle = temporal.client.workflow.getHandle(runId);
      const { plan } = await rehearsal.waiting(handle);
      const own = await run('run', 'approve', runId, '--plan', plan?.hash ?? '');
      expect(own.status).not.toBe(0);
      expect(own.stderr).toMatch(/started the run, .* a second approver/);
      expect(items()).toHaveLength(1 - there);
      await rehearsal.approve(handle, { who: 'gislead@desk' });
      expect((await rehearsal.ended(handle)).record).toMatchObject({ status: 'succeeded' });
      expect(items()).toHaveLength(there);
    }
  });
});
