import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transportItems, transportTargetGroupId } from '../../../src/simulator/seed/transport';
import { freeServerPort } from '../../support/free-port';
import { Site } from '../../support/site';
import { recordOf as recordIn } from '../../support/json';
import { typedIn } from '../../support/typed-in';

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

const { run, recordOf, expectRun } = typedIn(() => at.folder);
/** What a gauge of the route says. */
const gauge = async (name: string) => {
  const told = await (await fetch(`http://${metrics}/metrics`)).text();
  return new RegExp(
    `^portolan_last_${name}_timestamp_seconds\\{[^}]*route="transport"[^}]*\\} (\\d+)`,
    'm',
  ).exec(told)?.[1];
};

describe('a backup', () => {
  it('names its snapshot and the command that restores it', async () => {
    await expectRun(
      'backup create transport --tag by-hand',
      0,
      /^SUCCEEDED in .* 2 items, 3.5 KB, snapshot (\w{4})\. Target: unchanged/m,
      /restore +portolan restore \w{4} --to PORTAL --into GROUP/,
    );
    expect(await recordOf('backup create transport')).toMatchObject({
      status: 'nothing-to-do',
      snapshot: { unchanged: true },
    });
  });

  it('is restored into a folder, and the restore is rolled back once', async () => {
    at.target.world.items.change(transportItems.csv, { snippet: 'of production' });
    const restore = `restore latest:transport --to production --into ${transportTargetGroupId}`;
    const held = at.target.world.items.size;
    const folder = { id: 'e'.repeat(32), username: 'owner', title: 'Restored', created: 1 };
    at.target.world.folders.put(folder.id, folder);
    const restored = await expectRun(`${restore} --folder ${folder.id} --overwrite --yes`, 0);
    expect(at.target.world.items.get(transportItems.pdf)?.ownerFolder).toBe(folder.id);
    const [, taken = ''] = /rollback +portolan run rollback (\w{4})/.exec(restored.stdout) ?? [];
    const rollback = `run rollback ${taken} --yes --request-id night-1 --delete-created`;
    await expectRun(rollback, 2, '--yes-delete production');
    const sure = `${rollback} --yes-delete production`;
    const [undone, same] = await Promise.all([recordOf(sure), recordOf(sure)]);
    expect(undone.status).toBe('succeeded');
    expect(same.runId).toBe(undone.runId);
    const { items } = at.target.world;
    expect(items.size).toBe(held);
    expect(items.get(transportItems.csv)?.snippet).toBe('of production');

    // A repeated rollback undoes the same run, and waits for the approval of its plan; it has to change something.
    items.change(transportItems.csv, { snippet: 'as restored' });
    const restart = `run restart ${undone.runId} --from guard --yes -o json`;
    const again = recordIn(await expectRun(restart, 4, `restarts ${undone.runId}`));
    expect(again).toMatchObject({ kind: 'rollback', plan: { overwrite: 1 }, parent: undone.parent });
    await expectRun(`run reject ${again.runId}`, 0);
    await expectRun(`run watch ${again.runId}`, 5);
  });

  it('is drilled, and its list, metrics and restart show that', async () => {
    // Of a route that is drilled it is said from a worker's start on that it never was.
    expect(await gauge('proven')).toBe('0');
    const asked = 'backup drill transport --request-id night-1';
    const drilled = await expectRun(asked, 0, /Snapshot \w{4} is proven: previewed/);
    expect((await run(asked)).stdout).toBe(drilled.stdout);
    drill = /portolan run show (\w+)/.exec(drilled.stdout)?.[1] ?? '';
    const again = await recordOf(`run restart ${drill} --from guard --yes`);
    const { proof, runId: of } = await recordOf(`run show ${drill}`);
    expect(proof).toBe('previewed');
    expect(again).toMatchObject({ kind: 'drill', status: 'succeeded', parent: of, proof });
    await expectRun('snapshot list', 0, /previewed on production/);
  });

  it('is refused with what to type before any portal is asked', async () => {
    const before = at.asked('source', 'portal.self') + at.asked('target', 'portal.self');
    await expectRun('backup create --from staging', 2, '--from and --group must be given together');
    await expectRun(
      `restore nosuch --to production --into ${transportTargetGroupId}`,
      10,
      'portolan snapshot list',
    );
    await expectRun(
      `run restart ${drill} --from export`,
      2,
      `Start it again: portolan run restart ${drill} --from guard`,
    );
    await expectRun(`run rollback ${drill}`, 2, 'did not overwrite anything, so it has no safeguard');
    expect(at.asked('source', 'portal.self') + at.asked('target', 'portal.self')).toBe(before);
  });
});
