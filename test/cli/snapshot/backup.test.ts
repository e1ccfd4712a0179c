import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transportItems, transportTargetGroupId } from '../../../src/simulator/seed/transport';
import { freeServerPort } from '../../support/free-port';
import { Site } from '../../support/site';
import type { Ended } from '../../support/child';
import { inProcess, said } from '../../support/in-process';
import { recordOf } from '../../support/json';

let at: Site;
let metrics: string;
/** An end of the id of the drill. */
let drill: string;
beforeAll(async () => {
  metrics = `127.0.0.1:${await freeServerPort()}`;
  at = await Site.open({
    items: [transportItems.csv, transportItems.pdf],
    drillGroup: transportTargetGroupId,
    listed: true,
    config: { metrics: { address: metrics } },
  });
});
afterAll(() => at.close());

const run = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: at.folder });
/** What a gauge of the route says. */
const gauge = async (name: string): Promise<string | undefined> => {
  const told = await (await fetch(`http://${metrics}/metrics`)).text();
  return new RegExp(
    `^portolan_last_${name}_timestamp_seconds\\{[^}]*route="transport"[^}]*\\} (\\d+)`,
    'm',
  ).exec(told)?.[1];
};

describe('a backup', () => {
  it('names its snapshot and the command that restores it', async () => {
    const taken = await run('backup', 'create', 'transport', '--tag', 'by-hand');
    expect(taken.status).toBe(0);
    expect(taken.stdout).toMatch(/^SUCCEEDED in .* 2 items, 3.5 KB, snapshot (\w{4})\. Target: unchanged/m);
    expect(taken.stdout).toMatch(/restore +portolan restore \w{4} --to PORTAL --into GROUP/);
    const again = await run('backup', 'create', 'transport', '-o', 'json');
    expect(recordOf(again)).toMatchObject({ status: 'nothing-to-do', snapshot: { unchanged: true } });
  });

  it('is restored into a folder, and the restore is rolled back once', async () => {
    at.target.world.items.change(transportItems.csv, { snippet: 'of production' });
    const restore = ['restore', 'latest:transport', '--to', 'production', '--into', transportTargetGroupId];
    const held = at.target.world.items.size;
    const folder = { id: 'e'.repeat(32), username: 'owner', title: 'Restored', created: 1 };
    at.target.world.folders.put(folder.id, folder);
    const restored = await run(...restore, '--folder', folder.id, '--overwrite', '--yes');
    expect(restored.status).toBe(0);
    expect(at.target.world.items.get(transportItems.pdf)?.ownerFolder).toBe(folder.id);
    const [, taken = ''] = /rollback +portolan run rollback (\w{4})/.exec(restored.stdout) ?? [];
    const rollback = ['run', 'rollback', taken, '--yes', '--request-id', 'night-1', '-o', 'json'];
    const remove = ['--delete-created', '--yes-delete', 'production'];
    const { stderr, status: unsure } = await run(...rollback, '--delete-created');
    expect([unsure, stderr]).toEqual([2, expect.stringContaining('--yes-delete production')]);
    const [undone, same] = await Promise.all([run(...rollback, ...remove), run(...rollback, ...remove)]);
    expect(undone.status).toBe(0);
    expect(recordOf(same).runId).toBe(recordOf(undone).runId);
    const { items } = at.target.world;
    expect(items.size).toBe(held);
    expect(items.get(transportItems.csv)?.snippet).toBe('of production');

    // A repeated rollback undoes the same run, and waits for the approval of its plan; it has to change something.
    items.change(transportItems.csv, { snippet: 'as restored' });
    const { runId, parent } = recordOf(undone);
    const again = await run('run', 'restart', runId, '--from', 'guard', '--yes', '-o', 'json');
    expect(again).toMatchObject(said(4, `restarts ${runId}`));
    expect(recordOf(again)).toMatchObject({ kind: 'rollback', plan: { overwrite: 1 }, parent });
    expect((await run('run', 'reject', recordOf(again).runId)).status).toBe(0);
    expect((await run('run', 'watch', recordOf(again).runId)).status).toBe(5);
  });

  it('is drilled, and its list, metrics and restart show that', async () => {
    // Of a route that is drilled it is said from a worker's start on that it never was.
    expect(await gauge('proven')).toBe('0');
    const asked = ['backup', 'drill', 'transport', '--request-id', 'night-1'];
    const drilled = await run(...asked);
    expect(drilled.status).toBe(0);
    expect((await run(...asked)).stdout).toBe(drilled.stdout);
    drill = /portolan run show (\w+)/.exec(drilled.stdout)?.[1] ?? '';
    const again = await run('run', 'restart', drill, '--from', 'guard', '--yes', '-o', 'json');
    const { proof, runId: of } = recordOf(await run('run', 'show', drill, '-o', 'json'));
    expect(proof).toBe('previewed');
    expect(recordOf(again)).toMatchObject({ kind: 'drill', status: 'succeeded', parent: of, proof });
    expect(drilled.stdout).toMatch(/Snapshot \w{4} is proven: previewed/);
    expect((await run('snapshot', 'list')).stdout).toMatch(/previewed on production/);
  });

  it('is refused with what to type before any portal is asked', async () => {
    const before = at.asked('source', 'portal.self') + at.asked('target', 'portal.self');
    expect(await run('backup', 'create', '--from', 'staging')).toMatchObject(
      said(2, '--from and --group must be given together'),
    );
    expect(
      await run('restore', 'nosuch', '--to', 'production', '--into', transportTargetGroupId),
    ).toMatchObject(said(10, 'portolan snapshot list'));
    expect(await run('run', 'restart', drill, '--from', 'export')).toMatchObject(
      said(2, `Start it again: portolan run restart ${drill} --from guard`),
    );
    expect(await run('run', 'rollback', drill)).toMatchObject(
      said(2, 'did not overwrite anything, so it has no safeguard'),
    );
    expect(at.asked('source', 'portal.self') + at.asked('target', 'portal.self')).toBe(before);
  });
});
