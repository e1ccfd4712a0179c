import { afterEach, describe, expect, it } from '@jest/globals';
import type { RunRecord } from '../../src/model/run/run';
import { ledgerLists } from '../../src/model/transfer/ledger-lists';
import { type Kill, theServer, theWorker } from './kills';
import { items, Site } from './site';
import type { Trap } from './wire';

const slow = 15 * 60_000;
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const besides = ['1', '2', '3', '4'].map((at) => `ca0000000000000000000000000000b${at}`);
const all = [...Object.values(items), ...besides].sort();
const failing = [besides[0]!, besides[3]!];
const importsMax = 2 * failing.length * (Math.log2(all.length) + 1);

/** Two look-ups find a job running, the third one tells what it came to. */
const jobPolls = 2;

interface Moment {
  readonly when: string;
  readonly traps: readonly Trap[];
}

/** Each on the connection to the target, one after the other: the next is laid when what was killed is back. */
const moments = {
  betweenHalvings: {
    when: 'a half has failed and was removed, and the next one is still to come',
    traps: [{ operation: 'item.delete', point: 'told' }],
  },
  insideJob: {
    when: 'the portal works on an import',
    traps: [{ operation: 'job', point: 'asked', after: 'import' }],
  },
  verdict: {
    when: 'the portal tells what an import came to, and nobody hears it',
    traps: [{ operation: 'job', point: 'done', after: 'import', nth: jobPolls + 1 }],
  },
  accepted: {
    when: 'the import of a half was taken this moment',
    traps: [{ operation: 'import', point: 'told', nth: 2 }],
  },
  again: {
    when: 'one half after the other is imported',
    traps: [
      { operation: 'preview', point: 'done', nth: 2 },
      { operation: 'job', point: 'asked', after: 'import' },
      { operation: 'item.delete', point: 'told' },
    ],
  },
} as const satisfies Record<string, Moment>;

const cases: readonly (readonly [Kill, Moment])[] = [
  ...Object.values(moments).map((moment) => [theWorker, moment] as const),
  [theServer, moments.insideJob],
];

describe('a bisect finds exactly what is at fault and imports all else', () => {
  let site: Site;
  afterEach(() => site.close());

  it.each(cases.map(([kill, moment]) => [kill.of, moment.when, kill, moment] as const))(
    'though the %s is killed when %s',
    async (of, when, kill, { traps }) => {
      site = await Site.open({
        imageBytes: 1024,
        besides,
        target: { jobPolls, failing },
      });
      await site.staffWith(kill.staff);
      const parent = await parkedAndCancelled(site);
      const before = site.target.importsPosted().length;

      const [first, ...later] = traps.map((trap) => () => struck(site, kill, trap));
      const caught = first!();
      const begun = await site.type('run', 'retry', parent, '--bisect', '--no-wait', '-o', 'json');
      const { runId } = JSON.parse(begun) as RunRecord;
      await caught;
      await kill.bringBack(site);
      for (const next of later) {
        await next();
        await kill.bringBack(site);
      }

      const { status, record } = await watched(site, runId);
      if (record.error?.code === 'IMPORT_UNDECIDED' && traps === moments.accepted.traps) {
        await isUndecided(site, record, parent);
        return;
      }
      expect(record).toMatchObject({ kind: 'bisect', status: 'partial', target: 'changed', leftRunning: [] });
      expect(record.error).toBeUndefined();
      expect(status).toBe(3);
      const [failed, imported] = [idsIn(record, 'failed'), idsIn(record, 'imported')];
      expect(failed).toEqual(failing);
      expect(imported).toEqual(all.filter((id) => !failing.includes(id)));
      expect(ledgerLists.flatMap((list) => idsIn(record, list)).sort()).toEqual(all);
      for (const id of imported) expect(await site.target.hashOf(id)).toBe(await site.source.hashOf(id));

      const imports = site.target.importsPosted().length - before;
      expect(imports).toBe(record.children?.length);
      expect(imports).toBeLessThanOrEqual(importsMax);
      expect(site.source.requests('group.export')).toHaveLength(1);
      expect([await site.source.packages(), await site.target.packages()]).toEqual([[], []]);
      const seconds = (Date.parse(record.finishedAt ?? '') - Date.parse(record.startedAt)) / 1000;
      say(`kill -9 of ${of} when ${when}: ${imports} imports in ${seconds.toFixed(0)} s`);
    },
    slow,
  );
});

async function watched(site: Site, runId: string): Promise<{ status: number | null; record: RunRecord }> {
  const { status, stdout } = await site.run('run', 'watch', runId, '-o', 'json');
  return { status, record: JSON.parse(stdout) as RunRecord };
}

/**
 * A worker that dies before it has noted the answer leaves an import that failed as a whole without a sign: nothing on
 * the target tells it from one that never began. Parts do not park, so the bisect ends and says so; nothing is imported
 * twice, and the next bisect finds what is at fault.
 */
async function isUndecided(site: Site, record: RunRecord, parent: string): Promise<void> {
  expect(record).toMatchObject({ kind: 'bisect', status: 'failed', target: 'unknown' });
  expect(record.leftRunning).toEqual(['import job whose answer was lost on production']);
  const imported = idsIn(record, 'imported');
  const begun = await site.type('run', 'retry', parent, '--bisect', '--no-wait', '-o', 'json');
  const { record: next } = await watched(site, (JSON.parse(begun) as RunRecord).runId);
  expect(next).toMatchObject({ status: 'partial', leftRunning: [] });
  expect(idsIn(next, 'failed')).toEqual(failing);
  const arrived = [...imported, ...idsIn(next, 'imported')].sort();
  expect(arrived).toEqual(all.filter((id) => !failing.includes(id)));
  for (const id of arrived) expect(await site.target.hashOf(id)).toBe(await site.source.hashOf(id));
  say(`kill -9 before an answer was noted: undecided, and the next bisect found ${failing.length} at fault`);
}

/** A run that the target failed for some of its items, and that somebody then gave up. */
async function parkedAndCancelled(site: Site): Promise<string> {
  const runId = await site.sync('free');
  const parked = await site.run('run', 'watch', runId, '-o', 'json');
  expect(JSON.parse(parked.stdout)).toMatchObject({ status: 'parked', parked: { code: 'JOB_FAILED' } });
  await site.type('run', 'cancel', runId);
  await site.run('run', 'watch', runId);
  return runId;
}

/** Resolves when the kill has struck at that point of that request. */
const struck = (site: Site, kill: Kill, trap: Trap): Promise<void> =>
  new Promise((resolve) =>
    site.wire('target').arm(trap, () => {
      kill.strike(site);
      resolve();
    }),
  );

function idsIn({ items: ledger }: RunRecord, list: (typeof ledgerLists)[number]): string[] {
  const entries = ledger?.[list] ?? [];
  if ('count' in entries) throw new Error(`${list} is not spelled out`);
  return entries.map(({ itemId }) => itemId).sort();
}
