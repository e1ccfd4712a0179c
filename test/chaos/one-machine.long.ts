import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answersAt } from '../../src/temporal/dev-server/address';
import type { RunRecord } from '../../src/model/run/run';
import type { Ended } from '../support/child';
import { Site } from './site';

interface Row {
  readonly runId: string;
  readonly status: string;
}

const slow = 120_000;
const recordOf = ({ stdout }: Ended): RunRecord => JSON.parse(stdout) as RunRecord;

describe('Portolan on one machine', () => {
  let site: Site;

  const list = async (): Promise<{ rows: Row[]; stderr: string }> => {
    const { stdout, stderr } = await site.run('run', 'list', '-o', 'json');
    return { rows: JSON.parse(stdout) as Row[], stderr };
  };
  const watch = (runId: string): Promise<Ended> => site.run('run', 'watch', runId, '-o', 'json');
  const waiting = async (...args: string[]): Promise<RunRecord> => {
    const runId = await site.sync('asks', '--overwrite', ...args);
    await site.waits(runId);
    return await site.show(runId);
  };
  /** Ctrl-C, and everything that it promises. */
  const stopUp = async (): Promise<void> => {
    const { up } = site;
    up?.child.kill('SIGINT');
    const ended = await up?.ended;
    expect(ended?.status).toBe(0);
    expect(ended?.stderr).toMatch(/\nstopping the worker, then Temporal\n/);
    expect(ended?.stderr).not.toMatch(/IllegalState|^error |^ +at |"level":[56]0/m);
    expect(await answersAt({ host: '127.0.0.1', port: site.port })).toBe(false);
  };

  beforeAll(async () => {
    site = await Site.open({ source: { jobPolls: 2 }, imageBytes: 1024 ** 2 });
    await site.startUp();
  }, slow);
  afterAll(() => site.close());

  it(
    'knows its runs after up was started again, and while it is away by what the store recorded',
    async () => {
      const runId = await site.sync('free');
      const ended = await watch(runId);
      expect(recordOf(ended)).toMatchObject({ runId, status: 'succeeded', target: 'changed' });
      await stopUp();

      const away = await list();
      expect(away.stderr).toContain('annot reach Temporal');
      expect(away.rows).toMatchObject([{ runId, status: 'succeeded' }]);
      expect(await site.show('latest')).toEqual(recordOf(ended));

      await site.startUp();
      expect(await list()).toMatchObject({ rows: [{ runId, status: 'succeeded' }], stderr: '' });
      expect(await site.show('latest')).toEqual(recordOf(ended));
    },
    slow,
  );

  it(
    'says that no worker is running, shows the last recorded state, and saves decisions until one runs',
    async () => {
      const [approved, cancelled] = await Promise.all([waiting(), waiting()]);
      await site.startServer();

      const refused = await site.run('sync', 'free');
      expect(refused).toMatchObject({ status: 11, stdout: '' });
      expect(refused.stderr).toMatch(
        /^error NO_WORKER .*\n {2}Start the worker service\. If everything is on one machine: portolan up; otherwise: portolan worker\n$/,
      );

      const shown = await site.run('run', 'show', approved.runId, '-o', 'json');
      expect(recordOf(shown)).toEqual(approved);
      expect(shown.stderr).toBe('note  no worker is running; showing the last recorded state\n');
      expect((await list()).rows).toContainEqual(
        expect.objectContaining({ runId: approved.runId, status: 'waiting' }),
      );

      const { hash } = approved.plan!;
      const sent = await site.run('run', 'approve', approved.runId, '--plan', hash);
      expect(sent.status).toBe(0);
      expect(sent.stdout).toContain('saved, but not yet received: no worker is running.');
      const asked = await site.run('run', 'cancel', cancelled.runId);
      expect(asked.stdout).toContain('saved, but not yet received: no worker is running.');

      await site.startUp();
      expect((await watch(approved.runId)).status).toBe(0);
      expect((await watch(cancelled.runId)).status).toBe(5);
      expect([await site.source.packages(), await site.target.packages()]).toEqual([[], []]);
    },
    slow,
  );

  it(
    'brings its Temporal server back under a sync that is watched, which goes on to its end',
    async () => {
      const server = site.serverPid();
      const sync = site.begin('sync', 'free', '--overwrite');
      await sync.says('ok  guard');
      site.killServer();
      await site.up?.says('Temporal is running again');
      expect(site.serverPid()).not.toBe(server);
      const { status, stdout } = await sync.ended;
      expect(stdout).toContain('SUCCEEDED');
      expect(status).toBe(0);
    },
    slow,
  );

  it(
    'ends on Ctrl-C without an error while a run is under way, which goes on at the next start',
    async () => {
      // Else nothing has changed since the sync before, and no job starts.
      await site.mark();
      const jobs = site.source.requests('job').length;
      const runId = await site.sync('free', '--overwrite');
      await site.source.isAsked('job', jobs + 1);
      await stopUp();
      await site.startUp();
      expect((await watch(runId)).status).toBe(0);
      expect([await site.source.packages(), await site.target.packages()]).toEqual([[], []]);
    },
    slow,
  );

  it('starts no server at an address that other machines could reach', async () => {
    const config = { temporal: { address: `0.0.0.0:${site.port}`, state: 'open' }, portals: {} };
    writeFileSync(path.join(site.folder, 'open.yaml'), JSON.stringify(config));
    const { status, stderr } = await site.run('up', '--config', 'open.yaml');
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^error CONFIG_INVALID {2}temporal\.address: 0\.0\.0\.0:\d+ is not on this machine/,
    );
  });
});
