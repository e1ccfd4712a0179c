import { expect } from '@jest/globals';
import { classifyJobStatus, type Job, readJob } from '../../../src/portal/resources/jobs';
import { resultListsIn } from '../../../src/portal/http/transfer-answer';
import type { Row, Section, Wire } from '../row';
import {
  brought,
  ended,
  exported,
  imported,
  importedBy,
  listsOf,
  packageOf,
  startExport,
} from '../transfers';
import type { World } from '../world';

const path = '/portals/<orgId>/jobs/<jobId>';
const lookUp: Wire = { operation: 'job', method: 'GET', path };

async function exportJob(world: World) {
  const site = await world.at();
  const holding = await site.plant([{ type: 'CSV' }, { type: 'Notebook' }]);
  return { site, holding, job: await exported(site, holding.groupId) };
}

async function importJob(world: World) {
  const [from, site] = [await world.at(), await world.receiving()];
  const holding = await from.plant([{ type: 'CSV' }]);
  const packageId = await brought(from, site, holding);
  const group = await site.plant();
  return { site, holding, group, packageId, job: await imported(site, group.groupId, packageId) };
}

const ofExport = (statement: string, check: (given: Awaited<ReturnType<typeof exportJob>>) => void): Row => ({
  statement,
  wire: lookUp,
  check: async (world) => check(await exportJob(world)),
});

const ofImport = (statement: string, check: (given: Awaited<ReturnType<typeof importJob>>) => void): Row => ({
  statement,
  wire: lookUp,
  check: async (world) => check(await importJob(world)),
});

const record: readonly Row[] = [
  {
    statement: '`id` of a job is the id that its start answered.',
    wire: lookUp,
    check: async (world) => {
      const site = await world.at();
      const started = await startExport(site, (await site.plant([{ type: 'CSV' }])).groupId);
      expect((await ended(site, started)).id).toBe(started.jobId);
    },
  },
  ofExport('`messages` of a job is a list of texts that tell how far it came.', ({ job }) => {
    expect(job.messages.length).toBeGreaterThan(0);
    for (const message of job.messages) expect(typeof message).toBe('string');
  }),
  ofExport(
    'A message of an export holds, as text, what was exported, skipped and failed.',
    ({ job, holding }) =>
      expect(listsOf(job)).toEqual({ exported: [holding.ids[0]], skipped: [holding.ids[1]], failed: [] }),
  ),
  ofExport('`result.itemId` of an export is the item of the new package.', ({ job, site }) =>
    expect(site.item(packageOf(job))?.type).toBe('Export Package'),
  ),
  ofImport('`result.itemsImported` of an import is a list of objects with `itemId`.', ({ job, holding }) =>
    expect(importedBy(job).imported).toEqual([holding.ids[0]]),
  ),
];

/** A job of a portal whose jobs end with this word. */
async function endingWith(world: World, word: string, kind: 'export' | 'import'): Promise<Job> {
  const site = kind === 'export' ? await world.at() : await world.receiving();
  const { finalStatus } = site.simulator.settings;
  site.simulator.settings.finalStatus = { ...finalStatus, [kind]: word };
  try {
    return (kind === 'export' ? await exportJob(world) : await importJob(world)).job;
  } finally {
    site.simulator.settings.finalStatus = finalStatus;
  }
}

const statuses: readonly Row[] = [
  {
    statement: 'An export may end with the word `succeeded`.',
    wire: lookUp,
    check: async (world) => {
      expect(await endingWith(world, 'succeeded', 'export')).toMatchObject({
        status: 'succeeded',
        phase: 'succeeded',
      });
    },
  },
  {
    statement: 'An import may end with the word `completed`.',
    wire: lookUp,
    check: async (world) => {
      expect(await endingWith(world, 'completed', 'import')).toMatchObject({
        status: 'completed',
        phase: 'succeeded',
      });
    },
  },
  {
    statement:
      'Either word, and `complete`, in any case, is taken for the good end of either kind (_relied on_).',
    wire: lookUp,
    check: async (world) => {
      expect((await endingWith(world, 'Completed', 'export')).phase).toBe('succeeded');
      expect((await endingWith(world, 'SUCCEEDED', 'import')).phase).toBe('succeeded');
      expect(classifyJobStatus('complete')).toBe('succeeded');
    },
  },
  {
    statement: 'A word such as `failed`, `cancelled` or `timedOut` is taken for a bad end (_relied on_).',
    wire: lookUp,
    check: async (world) => {
      const site = await world.at();
      site.simulator.settings.freeGb = 1;
      try {
        expect((await exportJob(world)).job).toMatchObject({ status: 'failed', phase: 'failed' });
      } finally {
        site.simulator.settings.freeGb = 200;
      }
      for (const word of ['failure', 'cancelled', 'canceled', 'timedOut'])
        expect(classifyJobStatus(word)).toBe('failed');
    },
  },
  {
    statement: 'Any other word is taken for a job that still runs (_relied on_).',
    wire: lookUp,
    check: async (world) => {
      const site = await world.at();
      site.simulator.settings.jobPolls = 1;
      try {
        const { jobId, key } = await startExport(site, (await site.plant([{ type: 'CSV' }])).groupId);
        const job = await readJob(site.as('owner'), site.orgId, jobId, { key });
        expect(job).toMatchObject({ status: 'processing', phase: 'running' });
      } finally {
        site.simulator.settings.jobPolls = 0;
      }
      for (const word of ['', 'submitted', 'anything']) expect(classifyJobStatus(word)).toBe('running');
    },
  },
];

const lists: readonly Row[] = [
  {
    statement:
      'What entries of skipped and failed lists look like is not told; an object with `itemId` is read (_relied on_).',
    wire: lookUp,
    check: async (world) => {
      const { job, holding } = await exportJob(world);
      expect(listsOf(job).skipped).toEqual([holding.ids[1]]);
    },
  },
  {
    statement: 'A bare id is read as well (_relied on_).',
    wire: lookUp,
    check: async (world) => {
      const site = await world.at();
      site.simulator.settings.entryShape = 'string';
      try {
        const { job, holding } = await exportJob(world);
        expect(listsOf(job).skipped).toEqual([holding.ids[1]]);
      } finally {
        site.simulator.settings.entryShape = 'object';
      }
    },
  },
  {
    statement: 'An entry that names no item is kept as it came, and counts as one (_relied on_).',
    check: () => {
      const answer = { itemsImported: [], itemsSkipped: [{ odd: 1 }], itemsFailedImport: [] };
      expect(resultListsIn(answer, 'Import')?.skipped).toEqual([{ raw: { odd: 1 } }]);
      const empty = { itemsExported: [], itemsSkipped: [], itemsFailedExport: [{ odd: 1 }] };
      expect(resultListsIn(empty, 'Export')?.failed).toEqual([{ raw: { odd: 1 } }]);
    },
  },
];

const asking: readonly Row[] = [
  {
    statement: 'A job is looked up by a GET of its address under the id of the organization.',
    wire: lookUp,
    check: async (world) => {
      expect((await exportJob(world)).job.phase).toBe('succeeded');
    },
  },
  {
    statement: 'A job that the portal does not know is answered as a resource that does not exist.',
    wire: { operation: 'job', errorCode: 404 },
    check: async (world) => {
      const site = await world.at();
      await expect(readJob(site.as('admin'), site.orgId, 'none', {})).rejects.toMatchObject({
        code: 'JOB_LOST',
      });
    },
  },
];

export const jobSection: Section = {
  title: 'Jobs',
  rows: [...asking, ...record, ...statuses],
};

export const listSection: Section = { title: 'Result lists', rows: lists };
