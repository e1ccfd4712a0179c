import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PromotionEntry } from '../../../src/model/release/promotion';
import { runRecord, type RunRecord } from '../../../src/model/run/run';
import { emptyGroupId } from '../../../src/simulator/seed/seeds';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import type { Simulator } from '../../../src/simulator/simulator';
import type { Ended } from '../../support/child';
import { inProcess } from '../../support/in-process';
import { itLong } from '../../support/long';
import type { Rehearsal } from '../../support/rehearsal';
import { until } from '../../support/until';
import { appItemId, appsGroupId, openPipeline } from './a-pipeline';
import { jsonOf } from '../../support/json';

let rehearsal: Rehearsal;
const run = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: rehearsal.folder });
async function recordOf(...args: string[]): Promise<RunRecord> {
  return runRecord.parse(jsonOf(await run(...args, '-o', 'json')));
}
const promote = (stage: string, ...args: string[]): Promise<RunRecord> =>
  recordOf('promote', 'transport', '--to', stage, '--release', 'latest:transport', ...args);
const shown = (runId: string): Promise<RunRecord> => recordOf('run', 'show', runId);
const comesTo = (runId: string, status: string): Promise<RunRecord> =>
  until(
    `${runId} to be ${status}`,
    () => shown(runId),
    (record) => record.status === status,
  );

const entriesOf = async (stage: string): Promise<PromotionEntry[]> => {
  const history = await run('promote', 'history', 'transport', stage, '-o', 'json');
  return jsonOf<{ entries: PromotionEntry[] }>(history).entries;
};

const itemsOn = ({ world }: Simulator): string[] => [...world.items.values()].map(({ id }) => id).sort();
const clear = ({ world }: Simulator): void => {
  for (const { id } of [...world.items.values()]) world.items.remove(id);
};
const put = async ({ world }: Simulator, item: object): Promise<void> => {
  const app = { id: appItemId, title: 'Closures', type: 'Web Map', ...item };
  await new SeedBuilder(world).file(app, { operationalLayers: [] });
};

beforeAll(async () => {
  rehearsal = await openPipeline(
    { live: { onFailure: 'rollback' } },
    { portals: { concurrency: { imports: 2 } } },
  );
  await recordOf('release', 'create', 'transport');
});
afterAll(() => rehearsal.close());

describe('a promotion', () => {
  it('writes nothing into the first group where a row of the last one is blocked [P12]', async () => {
    await put(rehearsal.target, { owner: 'viewer', groups: [] });
    const { status, error } = await promote('staging', '--yes');
    expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'PROMOTION_BLOCKED' });
    expect(error?.message).toMatch(/group "apps": Closures .*e7000000000000000000000000000001/);
    expect(itemsOn(rehearsal.target)).toEqual([appItemId]);
    clear(rehearsal.target);
  });

  it('is asked about again where the stage has become another one since somebody was asked', async () => {
    const { runId, plan } = await promote('staging', '--no-wait').then(({ runId: id }) =>
      comesTo(id, 'waiting'),
    );
    await put(rehearsal.target, { groups: [appsGroupId], owner: 'admin', title: 'Closed' });
    await run('run', 'approve', runId, '--plan', plan?.hash ?? '');
    const again = await until(
      'another plan to be asked about',
      () => shown(runId),
      (record) => record.status === 'waiting' && record.plan?.hash !== plan?.hash,
    );
    expect(again.plan).toMatchObject({ create: 2, overwrite: 1 });
    expect(itemsOn(rehearsal.target)).toEqual([appItemId]);
    await run('run', 'reject', runId, '--reason', 'not now');
    expect((await comesTo(runId, 'cancelled')).error?.code).toBe('REJECTED');
    expect(itemsOn(rehearsal.target)).toEqual([appItemId]);
    clear(rehearsal.target);
  });

  it('is parked where a group came only in part, also beside one that is whole, and goes on from there to all of it [P12]', async () => {
    const [ofRoads = ''] = itemsOn(rehearsal.source).filter((id) => id !== appItemId);
    rehearsal.target.settings.failImport = [ofRoads];
    const { runId } = await promote('staging', '--yes', '--no-wait');
    const { parked, children } = await comesTo(runId, 'parked');
    expect(parked).toMatchObject({ code: 'PROMOTION_FAILED', phase: 'import' });
    expect(parked?.evidence).toEqual([
      expect.stringMatching(/^group roads is neither as in the release nor as before: portolan run show /),
      expect.stringMatching(/^group apps is as in the release: portolan run show /),
    ]);
    expect(parked?.commands[0]).toBe('portolan promote rollback transport staging');
    expect(children?.map(({ name, status }) => `${name} ${status}`).sort()).toEqual([
      'apps succeeded',
      'roads partial',
    ]);
    rehearsal.target.settings.failImport = [];
    rehearsal.target.clearRequests();
    await run('run', 'resume', runId);
    expect((await comesTo(runId, 'succeeded')).error).toBeUndefined();
    const imports = rehearsal.target.requests().filter(({ params }) => params['previewOnly'] === 'false');
    expect(imports.map(({ path }) => path)).toEqual([expect.stringContaining(emptyGroupId)]);
    expect(itemsOn(rehearsal.target)).toEqual(itemsOn(rehearsal.source));
  });

  it('that was resumed goes back to what was there before all of it', async () => {
    const { status, warnings } = await recordOf('promote', 'rollback', 'transport', 'staging', '--yes');
    expect({ status, warnings }).toEqual({ status: 'succeeded', warnings: [] });
    expect(itemsOn(rehearsal.target)).toEqual([]);
    expect((await promote('staging', '--yes')).status).toBe('succeeded');
  });

  itLong('is ended and undone by the command that it names first, where it is parked', async () => {
    const stood = (await entriesOf('staging'))[0]?.release;
    await recordOf('release', 'create', 'transport');
    rehearsal.target.settings.failImport = [appItemId];
    const { runId } = await promote('staging', '--yes', '--no-wait');
    const { parked } = await comesTo(runId, 'parked');
    rehearsal.target.settings.failImport = [];
    const type = (await run('run', 'show', runId)).stdout.split('\n\n').find((part) => /^NEXT/.test(part));
    expect(type?.replaceAll(runId.slice(-4), 'RUN').split('\n')).toEqual([
      'NEXT     portolan promote rollback transport staging',
      '           ends this run and rolls back its changes',
      'OR       portolan run resume RUN',
      '           continues with plan, approve, import, portal, checks, stage',
      'OR       portolan run cancel RUN',
      '           ends the run; its changes stay',
    ]);
    const words = parked?.commands[0]?.replace('portolan ', '').split(' ') ?? [];
    const back = await recordOf(...words, '--yes');
    expect({ status: back.status, error: back.error }).toEqual({ status: 'succeeded', error: undefined });
    expect((await shown(runId)).status).toBe('cancelled');
    expect((await entriesOf('staging'))[0]).toMatchObject({
      kind: 'rolled-back',
      status: 'verified',
      undoes: runId,
    });
    expect((await run('promote', 'status', 'transport', '--no-drift')).stdout).toMatch(
      new RegExp(`release +\\S+-2 +${stood} +-`),
    );
    expect(itemsOn(rehearsal.target)).toEqual(itemsOn(rehearsal.source));
  });

  it('is rolled back by itself where a group cannot be imported, if the stage says so [P12]', async () => {
    rehearsal.third.settings.failImport = [appItemId];
    const { status, error, children } = await promote('live', '--yes');
    rehearsal.third.settings.failImport = [];
    expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'PROMOTION_FAILED' });
    expect(error?.message).toMatch(
      /^group "apps" on the stage differs from the release: 1 of its items not imported, 0 findings .*; the stage was rolled back/,
    );
    expect(children?.map(({ name, does }) => [name, does])).toContainEqual(['roads', 'undo']);
    expect((await run('promote', 'status', 'transport', '--no-drift')).stdout).toMatch(
      /^next .* transport-\S+-\w{4} \(rolled back before\)$/m,
    );
    expect(itemsOn(rehearsal.third)).toEqual([]);
  });

  it('waits for another one into the same stage, and is refused where the stage is frozen', async () => {
    const first = await promote('live', '--no-wait').then(({ runId }) => comesTo(runId, 'waiting'));
    const second = await promote('live', '--no-wait');
    const { queue } = await until(
      'the second to stand in the queue',
      () => shown(second.runId),
      (one) => one.queue !== undefined,
    );
    expect(queue).toMatchObject({
      id: expect.stringMatching(/\/stage:transport\.live\/import$/),
      position: 1,
    });
    const status = await run('promote', 'status', 'transport');
    expect(status.stdout).toMatch(new RegExp(`in progress .*${first.runId.slice(-4)} waiting`));
    await run('freeze', 'transport/live', '--reason', 'holidays');
    await run('run', 'reject', first.runId);
    const { error } = await comesTo(second.runId, 'failed');
    expect(error).toMatchObject({ code: 'PORTAL_FROZEN' });
    expect(error?.message).toMatch(/stage transport\/live has been frozen by .*: holidays/);
    expect((await run('promote', 'status', 'transport')).stdout).toMatch(/frozen +- +- +by .*: holidays/);
    const { stdout } = await run('unfreeze', 'transport/live');
    expect(stdout).toMatch(/^unfrozen transport\/live; /);
    expect((await run('freeze', 'transport/dev', '--reason', 'x')).status).toBe(2);
    expect(itemsOn(rehearsal.third)).toEqual([]);
  });
});
