import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answersAt } from '../../src/temporal/dev-server/address';
import type { RunRecord } from '../../src/model/run/run';
import { type Ended, Portolan, portolan } from '../support/child';
import { until } from '../support/until';
import { editAll, kinds } from '../harness/kinds';
import type { Pair } from '../harness/pair';
import { World } from '../harness/world';

interface Row {
  readonly runId: string;
  readonly status: string;
}

const slow = 300_000;
const recordOf = ({ stdout }: Ended): RunRecord => JSON.parse(stdout) as RunRecord;

describe('Portolan on one machine', () => {
  let world: World;
  let pair: Pair;

  const run = (...args: readonly string[]): Promise<Ended> => portolan(args, { cwd: world.folder });
  const sync = (route: string, ...args: readonly string[]): Promise<string> => {
    // What is equal on both portals is not written.
    editAll(pair.source);
    return world.begin('sync', route, '--no-wait', ...args);
  };
  const show = async (name: string): Promise<RunRecord> =>
    recordOf(await run('run', 'show', name, '-o', 'json'));
  const packages = (): string[] =>
    [pair.source, pair.target].flatMap((portal) =>
      portal.world.items.filter(({ type }) => type === 'Export Package').map(({ id }) => id),
    );

  const list = async (): Promise<{ rows: Row[]; stderr: string }> => {
    const { stdout, stderr } = await run('run', 'list', '-o', 'json');
    return { rows: JSON.parse(stdout) as Row[], stderr };
  };
  const watch = (runId: string): Promise<Ended> => run('run', 'watch', runId, '-o', 'json');
  const waiting = async (...args: string[]): Promise<RunRecord> => {
    const runId = await sync(pair.asks, ...args);
    await world.reached(runId, ({ status }) => status === 'waiting');
    return await show(runId);
  };
  /** Ctrl-C, and everything that it promises. */
  const stopUp = async (): Promise<void> => {
    const { up } = world;
    up?.child.kill('SIGINT');
    const ended = await up?.ended;
    expect(ended?.status).toBe(0);
    expect(ended?.stderr).toMatch(/\nstopping the worker, then Temporal\n/);
    expect(ended?.stderr).not.toMatch(/IllegalState|^error |^ +at |"level":[56]0/m);
    expect(await answersAt({ host: '127.0.0.1', port: world.port })).toBe(false);
  };

  beforeAll(async () => {
    world = await World.open(kinds.sync);
    [pair] = (await world.add(1, 'up')) as [Pair];
  }, slow);
  afterAll(() => world.close());

  it(
    'shows its runs after a restart of up, and from the store while up is stopped',
    async () => {
      const runId = await sync(pair.free);
      const ended = await watch(runId);
      expect(recordOf(ended)).toMatchObject({ runId, status: 'succeeded', target: 'changed' });
      await stopUp();

      const away = await list();
      expect(away.stderr).toContain('annot reach Temporal');
      expect(away.rows).toMatchObject([{ runId, status: 'succeeded' }]);
      expect(await show('latest')).toEqual(recordOf(ended));

      await world.start('up');
      expect(await list()).toMatchObject({ rows: [{ runId, status: 'succeeded' }], stderr: '' });
      expect(await show('latest')).toEqual(recordOf(ended));
    },
    slow,
  );

  it(
    'without a worker, shows the last recorded state and keeps decisions',
    async () => {
      const [approved, cancelled] = await Promise.all([waiting(), waiting()]);
      await world.startServer();

      const refused = await run('sync', pair.free);
      expect(refused).toMatchObject({ status: 11, stdout: '' });
      expect(refused.stderr).toMatch(
        /^error NO_WORKER .*\n {2}Start the worker service\. If everything is on one machine: portolan up; otherwise: portolan worker\n$/,
      );

      const shown = await run('run', 'show', approved.runId, '-o', 'json');
      expect(recordOf(shown)).toEqual(approved);
      expect(shown.stderr).toBe('note  no worker is running; showing the last recorded state\n');
      expect((await list()).rows).toContainEqual(
        expect.objectContaining({ runId: approved.runId, status: 'waiting' }),
      );

      const { hash } = approved.plan!;
      const sent = await run('run', 'approve', approved.runId, '--plan', hash);
      expect(sent.status).toBe(0);
      expect(sent.stdout).toContain('saved, but not yet received: no worker is running.');
      const asked = await run('run', 'cancel', cancelled.runId);
      expect(asked.stdout).toContain('saved, but not yet received: no worker is running.');

      await world.start('up');
      expect((await watch(approved.runId)).status).toBe(0);
      expect((await watch(cancelled.runId)).status).toBe(5);
      expect(packages()).toEqual([]);
    },
    slow,
  );

  it(
    'restarts its Temporal server during a watched sync, which finishes',
    async () => {
      const server = world.serverPid();
      editAll(pair.source);
      const watched = new Portolan(['sync', pair.free], { cwd: world.folder });
      await watched.says('ok  guard');
      world.strike('temporal');
      await world.bringBack('temporal');
      expect(world.serverPid()).not.toBe(server);
      const { status, stdout } = await watched.ended;
      expect(stdout).toContain('SUCCEEDED');
      expect(status).toBe(0);
    },
    slow,
  );

  it(
    'stops cleanly on Ctrl-C during a run, which goes on at the next start',
    async () => {
      const jobs = (): number =>
        pair.wires.source.crossings.filter(({ operation }) => operation === 'job').length;
      const before = jobs();
      const runId = await sync(pair.free);
      await until('a job', () => jobs() > before);
      await stopUp();
      await world.start('up');
      expect((await watch(runId)).status).toBe(0);
      expect(packages()).toEqual([]);
    },
    slow,
  );

  it('starts no server at an address that other machines could reach', async () => {
    const config = { temporal: { address: `0.0.0.0:${world.port}`, state: 'open' }, portals: {} };
    writeFileSync(path.join(world.folder, 'open.yaml'), JSON.stringify(config));
    const { status, stderr } = await run('up', '--config', 'open.yaml');
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^error CONFIG_INVALID {2}temporal\.address: 0\.0\.0\.0:\d+ is not on this machine/,
    );
  });
});
