import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { RunRecord } from '../../src/model/run/run';
import { differences, edit, jobsOf } from '../soak/fleet';
import { portolan } from '../support/child';
import { until } from '../support/until';
import { Deployment, type Program } from './deployment';
import type { ProcessName } from './temporal';

const GROUPS = 6;
/** How long a portal works on an export or an import: long enough to be struck in. @format milliseconds */
const JOB_MS = 2_000;
/** Between two kills, and how long what was killed stays away, at most. @format milliseconds */
const PAUSE_MS = 1_500;

jest.setTimeout(30 * 60_000);

const say = (line: string): void => void process.stderr.write(`story  ${line}\n`);

/** What is killed with -9, and comes back. */
interface Part {
  readonly name: string;
  kill(): Promise<void>;
  comeBack(): Promise<void>;
}

function partsOf({ cluster, workers, servers }: Deployment): Part[] {
  const { postgresql } = cluster;
  const program = (which: Program): Part => ({
    name: which.name,
    kill: () => which.kill(),
    // A worker that is started while Temporal is away ends, and says so; whoever watches over it tries again.
    comeBack: () => until(`the start of ${which.name}`, () => which.start().then(() => true)).then(() => {}),
  });
  const ofTemporal = (name: string, ...which: readonly ProcessName[]): Part => ({
    name,
    kill: () => cluster.killTemporal(...which),
    comeBack: () => cluster.restartTemporal(...which),
  });
  return [
    { name: 'PostgreSQL', kill: () => postgresql.kill(), comeBack: () => postgresql.restart() },
    program(workers[0]!),
    ofTemporal('the history of Temporal', 'history'),
    program(servers[0]!),
    program(workers[2]!),
    ofTemporal('the frontend of Temporal', 'frontend'),
    program(servers[1]!),
    program(workers[1]!),
    ofTemporal('all of Temporal', ...cluster.processes),
  ];
}

describe('a deployment whose every part is killed with -9 in turn, again and again', () => {
  let at: Deployment;
  const kills = new Map<string, number>();
  const records: RunRecord[] = [];
  let pages: number[];

  beforeAll(async () => {
    at = await Deployment.open({
      groups: GROUPS,
      source: { jobMs: JOB_MS, jobPolls: 1 },
      target: { jobMs: JOB_MS, jobPolls: 1 },
    });
    let isOver = false;
    const end = async (runId: string): Promise<void> => {
      const record = await at.ended(runId);
      records.push(record);
      say(`${records.length}  ${record.kind} ${runId}: ${record.status}`);
    };
    const lanes = at.groups.map(async (group) => {
      await end(await at.sync(group, `${group.route}-first`));
      edit(group);
      await end(await at.sync(group, `${group.route}-second`));
    });
    const promotion = async (): Promise<void> => {
      await end(await at.begin('releases', { pipeline: 'roads' }, 'release'));
      const promote = { pipeline: 'roads', to: 'live', release: 'latest:roads', yes: true };
      await end(await at.begin('promotions', promote, 'promotion'));
    };
    const backups = async (): Promise<void> => {
      for (const which of ['first', 'second'])
        await end(await at.begin('backups', { route: 'group-0', full: true }, `backup-${which}`));
    };
    const work = Promise.all([...lanes, promotion(), backups()]).finally(() => (isOver = true));
    const began = performance.now();
    const strike = async (): Promise<void> => {
      while (!isOver)
        for (const part of partsOf(at)) {
          await sleep(randomInt(PAUSE_MS));
          // Over meanwhile, but each is killed once at least.
          if (isOver && kills.has(part.name)) return;
          await part.kill();
          await sleep(randomInt(PAUSE_MS));
          await part.comeBack();
          kills.set(part.name, (kills.get(part.name) ?? 0) + 1);
        }
    };
    await Promise.all([work, strike()]);
    say(`${records.length} runs in ${Math.round((performance.now() - began) / 1000)} s`);
    for (const [name, times] of kills) say(`kill -9 of ${name}: ${times}`);
    const look = async (which: number): Promise<number> => {
      const { status, text } = await at.ask('/runs', which);
      return status === 200 ? records.filter(({ runId }) => text.includes(runId)).length : 0;
    };
    pages = await Promise.all([look(0), look(1)]);
  });
  afterAll(() => at?.close());

  it('brings every run to the end that was asked for', () => {
    expect(records.flatMap(({ runId, error }) => (error ? [{ runId, error }] : []))).toEqual([]);
    const ends = records.map(({ kind, status }) => `${kind} ${status}`).sort();
    expect(ends).toEqual([
      ...Array<string>(2).fill('backup succeeded'),
      'promotion succeeded',
      'release succeeded',
      ...Array<string>(2 * GROUPS).fill('sync succeeded'),
    ]);
  });

  it('begins each once, and imports each once, with every byte [P01]', async () => {
    const { client } = at.site.temporal;
    const syncs = await until(
      'all in the index',
      () => client.workflow.count(`WorkflowType = 'sync'`),
      ({ count }) => count >= 2 * GROUPS,
    );
    expect(syncs.count).toBe(2 * GROUPS);
    expect(new Set(records.map(({ runId }) => runId)).size).toBe(records.length);
    const { target } = at.site;
    const imports = at.groups.map(({ targetId }) => jobsOf(target, 'import', targetId).length);
    expect(imports).toEqual(Array<number>(GROUPS).fill(2));
    expect(jobsOf(target, 'import', at.promoted.targetId)).toHaveLength(1);
    expect((await Promise.all([...at.groups, at.promoted].map(differences))).flat()).toEqual([]);
  });

  it('leaves nothing behind, on portals, in the bucket, or open in Temporal', async () => {
    expect(await at.left()).toEqual([]);
    const open = (): Promise<string[]> => openIn(at);
    expect(await until('portal queues to close', open, (ids) => ids.length === 0)).toEqual([]);
  });

  it('shows all runs of its queue on the page of either server', () => {
    const ofFirstQueue = records.length - GROUPS;
    expect(pages).toEqual([ofFirstQueue, ofFirstQueue]);
  });

  it('has killed each part', () => {
    expect([...kills.keys()].sort()).toEqual(
      partsOf(at)
        .map(({ name }) => name)
        .sort(),
    );
  });

  it('tells of its runs once Temporal has forgotten them', async () => {
    const { client, connection, namespace } = at.site.temporal;
    const [{ runId = '' } = {}] = records.filter(({ kind }) => kind === 'sync');
    await connection.workflowService.deleteWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: runId },
    });
    await until('Temporal to forget', () =>
      client.workflow
        .getHandle(runId)
        .describe()
        .then(
          () => false,
          () => true,
        ),
    );
    const shown = await Promise.all(
      ['portolan.yaml', 'second.yaml'].map((file) =>
        portolan(['run', 'show', runId, '-o', 'json', '--config', file], { cwd: at.site.folder }),
      ),
    );
    expect(shown.map(({ status }) => status)).toContain(0);
  });
});

async function openIn({ site }: Deployment): Promise<string[]> {
  const ids: string[] = [];
  for await (const { workflowId } of site.temporal.client.workflow.list({
    query: `ExecutionStatus = 'Running'`,
  }))
    ids.push(workflowId);
  return ids;
}
