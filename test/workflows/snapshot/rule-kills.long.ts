import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { runRecord } from '../../../src/model/run/run';
import { keys } from '../../../src/store/keys';
import { ProtectedSite } from '../../cli/protect/site';
import { Portolan } from '../../support/child';

const GROUPS = [1, 2, 3, 4];

let site: ProtectedSite;
let worker: Portolan | undefined;

async function startWorker(): Promise<void> {
  worker = new Portolan(['worker'], { cwd: site.at.folder });
  await worker.says(' polls ');
}
async function killWorker(): Promise<void> {
  worker?.child.kill('SIGKILL');
  await worker?.ended;
  worker = undefined;
}

interface Seen {
  readonly names: readonly string[];
  /** Exports since the run began. */
  readonly exports: number;
}

/** What there is when the worker is killed. */
const moments = {
  'it was accepted': ({ names }) => names.includes('start.json'),
  'its groups are listed': ({ names }) => names.includes('groups.json'),
  'its first group is exported': ({ exports }) => exports > 0,
  'its last group is exported': ({ exports }) => exports >= GROUPS.length,
} as const satisfies Record<string, (seen: Seen) => boolean>;

beforeAll(async () => {
  const rule = { groups: 'tags:official', backup: { keep: { last: 2 } }, concurrency: 2 };
  site = await ProtectedSite.open(rule, { worker: false });
  for (const number of GROUPS) await site.group(number, ['official']);
});
afterAll(async () => {
  await killWorker();
  await site.close();
});

describe('a run of a rule whose worker is killed with -9 when', () => {
  it.each(Object.keys(moments) as (keyof typeof moments)[])(
    '%s, backs up every group once [P01]',
    async (moment) => {
      site.edit(...GROUPS);
      const exported = () => GROUPS.map((number) => site.exports(number));
      const before = exported();
      const since = () => exported().map((count, index) => count - (before[index] ?? 0));
      await startWorker();
      const begun = await site.type('protect', 'run', 'official', '--no-wait', '-o', 'json');
      const { runId } = runRecord.parse(JSON.parse(begun.stdout));
      const { store, temporal } = site.at;
      const seen = async (): Promise<Seen> => ({
        names: await store.names(keys.run(runId)),
        exports: since().reduce((sum, count) => sum + count, 0),
      });
      while (!moments[moment](await seen())) await sleep(2);
      await killWorker();
      await startWorker();
      const { record } = await site.at.ended(temporal.client.workflow.getHandle(runId));
      await killWorker();
      expect(record).toMatchObject({ status: 'succeeded', groups: { count: GROUPS.length } });
      expect(record.children).toHaveLength(GROUPS.length);
      expect(since()).toEqual(GROUPS.map(() => 1));
      expect(site.at.packages()).toEqual([]);
    },
  );
});
