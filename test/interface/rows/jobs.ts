import { expect } from '@jest/globals';
import { resultListsIn } from '../../../src/portal/http/transfer-answer';
import { readJob } from '../../../src/portal/resources/jobs';
import type { FinalStatus, Settings } from '../../../src/simulator/options';
import type { Row, Section, Wire } from '../row';
import { csv, ended, exported, importedBy, listsOf, packageOf, packed, startExport } from '../transfers';
import type { World } from '../world';

const poll: Wire = { operation: 'job', method: 'GET', path: '/portals/<orgId>/jobs/<jobId>' };

async function exportJob(world: World) {
  const site = await world.at();
  const { groupId, ids } = await site.plant([csv, { type: 'Notebook' }]);
  return { site, ids, job: await exported(site, groupId) };
}

/** Ends jobs with a status. */
const ending = (statement: string, finalStatus: Required<FinalStatus>): Row => ({
  statement,
  wire: poll,
  check: async (from, world) => {
    const { job } = await from.set({ finalStatus }, () => exportJob(world));
    expect([job.status, job.phase]).toEqual([finalStatus.export, 'succeeded']);
    const { to, bring } = await packed(world);
    const second = await to.set({ finalStatus }, () => bring());
    expect([second.status, second.phase]).toEqual([finalStatus.import, 'succeeded']);
  },
});

const jobs: readonly Row[] = [
  {
    statement: 'Reports messages, lists and the package of an export.',
    wire: poll,
    check: async (_site, world) => {
      const { site, ids, job } = await exportJob(world);
      expect(job.messages.length).toBeGreaterThan(0);
      expect(listsOf(job)).toEqual({ exported: [ids[0]], skipped: [ids[1]], failed: [] });
      expect(site.item(packageOf(job))?.type).toBe('Export Package');
    },
  },
  {
    statement: 'Reports a job under the ID from its start.',
    wire: poll,
    check: async (site) => {
      const started = await startExport(site, (await site.plant([csv])).groupId);
      expect((await ended(site, started)).id).toBe(started.jobId);
    },
  },
  {
    statement: 'Reports the imported items of an import.',
    wire: poll,
    check: async (_site, world) => {
      const { ids, bring } = await packed(world);
      expect(importedBy(await bring()).imported).toEqual(ids);
    },
  },
  ending('Ends an export as `succeeded` and an import as `completed`.', {
    export: 'succeeded',
    import: 'completed',
  }),
  ending('Ends jobs with either status in any case.', { export: 'Completed', import: 'SUCCEEDED' }),
  {
    statement: 'Ends a job as `failed`.',
    wire: poll,
    check: async (site, world) => {
      const { job } = await site.set({ freeGb: 1 }, () => exportJob(world));
      expect(job).toMatchObject({ status: 'failed', phase: 'failed' });
    },
  },
  {
    statement: 'Runs a job as `processing`.',
    wire: poll,
    check: async (site) => {
      const job = await site.set({ jobPolls: 1 }, async () => {
        const { jobId, key } = await startExport(site, (await site.plant([csv])).groupId);
        return readJob(site.as('owner'), site.orgId, jobId, { key });
      });
      expect(job).toMatchObject({ status: 'processing', phase: 'running' });
    },
  },
  {
    statement: 'Reports an unknown job as missing.',
    wire: { operation: 'job', errorCode: 404 },
    check: async (site) => {
      const job = readJob(site.as('admin'), site.orgId, 'none', {});
      await expect(job).rejects.toMatchObject({ code: 'JOB_LOST' });
    },
  },
];

const lists: readonly Row[] = [
  ...(['object', 'string'] satisfies Settings['entryShape'][]).map((entryShape): Row => ({
    statement: `Lists a skipped item as ${entryShape}.`,
    wire: poll,
    check: async (site, world) => {
      const { job, ids } = await site.set({ entryShape }, () => exportJob(world));
      expect(listsOf(job).skipped).toEqual([ids[1]]);
    },
  })),
  {
    statement: 'Counts an entry without an item as one.',
    check: () => {
      const answer = { itemsImported: [], itemsSkipped: [{ odd: 1 }], itemsFailedImport: [] };
      expect(resultListsIn(answer, 'Import')?.skipped).toEqual([{ raw: { odd: 1 } }]);
    },
  },
];

export const jobSection: Section = { title: 'Jobs', rows: jobs };
export const listSection: Section = { title: 'Result lists', rows: lists };
