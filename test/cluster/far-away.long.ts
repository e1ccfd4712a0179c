import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type RunRecord, runRecord } from '../../src/model/run/run';
import { keys } from '../../src/store/keys';
import { differences, jobsOf } from './groups';
import { portolan } from '../support/child';
import { until } from '../support/until';
import { Deployment } from './deployment';

const GROUPS = 6;
/** How long a portal works on an export or an import: long enough to be struck in. @format milliseconds */
const JOB_MS = 2_000;
/** A server on another continent, over a bad line. */
const FAR = { roundTripMs: 200, loss: 0.01 };
/** Ahead and behind, in hours: of workers of one queue an hour apart, of whoever else is asked an hour on either side. */
const CLOCKS = { workers: [1, 0, -1], servers: [-1, 1] };

/** Of the first group. */
const BACKUP = { route: 'group-0', full: true };

jest.setTimeout(20 * 60_000);

const say = (line: string): void => void process.stderr.write(`far away  ${line}\n`);

describe('a deployment far from its Temporal server, with clocks an hour apart', () => {
  let at: Deployment;
  let syncs: RunRecord[];
  let rest: RunRecord[];
  const asked: number[] = [];

  beforeAll(async () => {
    at = await Deployment.open({
      groups: GROUPS,
      source: { jobMs: JOB_MS, jobPolls: 1 },
      target: { jobMs: JOB_MS, jobPolls: 1 },
      far: FAR,
      clocks: CLOCKS,
    });
    const { source } = at.site;
    const [first, second] = at.workers;
    const begun = await Promise.all(at.groups.map((group) => at.sync(group, group.route)));
    await until('an export', () =>
      at.groups.some(({ sourceId }) => jobsOf(source, 'export', sourceId).length > 0),
    );
    // What it was at is taken by one whose clock is an hour behind its own.
    await first?.kill();
    syncs = await Promise.all(begun.map((runId) => at.ended(runId)));
    await first?.start();
    await second?.kill();
    const backup = await at.ended(await at.begin('backups', BACKUP, 'backup'));
    await second?.start();
    const release = await at.ended(await at.begin('releases', { pipeline: 'roads' }, 'release'));
    const latest = { pipeline: 'roads', stage: 'live', release: 'latest:roads' };
    const promotion = await at.begin('promotions', latest, 'promotion');
    const planned = await until(
      'a plan to approve',
      () => at.site.store.readJson(keys.record(promotion), runRecord),
      (record) => record?.plan !== undefined && record.status === 'waiting',
    );
    const yes = ['run', 'approve', promotion, '--plan', planned?.plan?.hash ?? ''];
    await until(
      'a yes that is taken',
      () => portolan(yes, { cwd: at.site.folder }),
      ({ status }) => status === 0,
    );
    rest = [backup, release, await at.ended(promotion)];
    for (const which of at.servers.keys()) {
      const { status, text } = await at.ask('/api/v1/backups', which, BACKUP, `backup-${which}`);
      asked.push(status);
      rest.push(await at.ended((JSON.parse(text) as RunRecord).runId));
    }
    const { sent, again } = at.line?.segments ?? { sent: 0, again: 0 };
    say(`${sent} segments on the line, of which ${again} had to be sent again`);
  });
  afterAll(() => at?.close());

  it('brings every run to the end that was asked for, a killed worker or not', () => {
    const all = [...syncs, ...rest];
    expect(all.flatMap(({ runId, error }) => (error ? [{ runId, error }] : []))).toEqual([]);
    expect(all.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      ...Array<string>(GROUPS).fill('sync succeeded'),
      ...['backup succeeded', 'release succeeded', 'promotion succeeded'],
      ...at.servers.map(() => 'backup succeeded'),
    ]);
  });

  it('exports and imports each group once, with every byte [P01]', async () => {
    const { source, target } = at.site;
    const jobs = at.groups.map(({ sourceId, targetId }) => [
      jobsOf(source, 'export', sourceId).length,
      jobsOf(target, 'import', targetId).length,
    ]);
    // The first group is exported by its backups as well.
    expect(jobs).toEqual([[2 + at.servers.length, 1], ...Array<number[]>(GROUPS - 1).fill([1, 1])]);
    expect((await Promise.all([...at.groups, at.promoted].map(differences))).flat()).toEqual([]);
  });

  it('leaves nothing behind on portals or in the bucket', async () => {
    expect(await at.left()).toEqual([]);
  });

  it('has lost packets, and had them sent again', () => {
    expect(at.line?.segments.again).toBeGreaterThan(0);
  });

  it('has either server see the workers that there are, by whatever clock', () => {
    expect(asked).toEqual([202, 202]);
  });
});
