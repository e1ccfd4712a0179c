import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CreatedItems, PlanAction } from '../../../src/model/transfer/plan';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { transportGroupId, transportItems } from '../../../src/simulator/seed/transport';
import { keys } from '../../../src/store/keys';
import { AWorker } from '../a-worker';

const stageGroupId = 'e0000000000000000000000000000088';
const { csv, map } = transportItems;
const since = 1_800_000_000_000;

let at: AWorker;
beforeAll(async () => {
  at = await AWorker.open({
    pipelines: {
      traffic: {
        groups: ['roads'],
        stages: {
          dev: { portal: 'staging', groups: { roads: transportGroupId } },
          live: { portal: 'production', groups: { roads: stageGroupId } },
        },
      },
    },
  });
  new SeedBuilder(at.target.world).group(stageGroupId, 'Roads');
  at.target.world.items.change(csv, { groups: [stageGroupId] });
});
afterAll(() => at.close());

/** Lets a run in whose plan does one thing to an item, and has it approved by its start. */
async function planned(kind: 'sync' | 'rollback', action: PlanAction, itemId: string) {
  const runId = `${kind}-transport-20261121T030000Z-${action}-${itemId.slice(-3)}`;
  const parent = kind === 'rollback' ? of : undefined;
  await at.letIn(kind, { runId, route: at.route, yes: true, parent });
  const packages = [{ sha256: 'a'.repeat(64), itemId: 'p'.repeat(32) }];
  return { runId, planRef: await at.plan(runId, [{ itemId, action, packageIndex: 0 }], { packages }) };
}
const of = 'sync-transport-20261121T030000Z-aaaa';
const imported = async (action: PlanAction, itemId: string) => {
  const run = await planned('sync', action, itemId);
  const input = {
    ...run,
    route: at.route,
    target: at.facts,
    packageItemId: 'p'.repeat(32),
    round: 1,
    packageIndex: 0,
  };
  return await at.call('startImport', input);
};

describe('an item of a stage', () => {
  it('is not overwritten through another group, even by an approved plan [P11]', async () => {
    await expect(imported('overwrite', csv)).rejects.toMatchObject({
      code: 'POLICY_REFUSED',
      message: expect.stringContaining('belongs to stage traffic/live; only promotions change it'),
      hint: 'To change it, promote a release: portolan promote traffic --to live',
    });
    expect(at.asked('group.import')).toBe(0);
    // The portal is asked for an import of what no stage holds.
    await expect(imported('overwrite', map)).rejects.not.toMatchObject({ code: 'POLICY_REFUSED' });
  });

  it('is not removed by the rollback of the run that created it', async () => {
    at.target.world.items.change(csv, { owner: 'admin', created: since, modified: since + 5 });
    const items = {
      [csv]: { owner: 'admin', modified: since + 5, wasAbsent: true, isListed: true },
    };
    await at.store.writeJson(keys.created(of), { accounts: ['admin'], since, items } satisfies CreatedItems);
    const run = await planned('rollback', 'remove', csv);
    const undo = { ...run, of, target: at.facts, route: at.route, remove: true, hasBegun: false };
    expect(await at.call('handleCreated', undo)).toMatchObject({
      removed: [],
      there: [{ itemId: csv, reason: 'belongs to stage traffic/live; only promotions change it' }],
    });
    expect(at.target.world.items.get(csv)).toBeDefined();
  });

  it('is neither removed nor restored by the plan of a rollback', async () => {
    const run = await planned('rollback', 'keep', csv);
    const undoing = { of, remove: true };
    const asked = { runId: run.runId, reading: 2, route: at.route, target: at.facts, undoing };
    const plan = await at.call('planUndo', asked);
    expect(plan).toMatchObject({ create: 0, overwrite: 0 });
    expect(plan.remove).toBeUndefined();
    at.target.world.items.change(csv, { groups: [] });
    expect(await at.call('planUndo', { ...asked, reading: 3 })).toMatchObject({ remove: 1 });
    at.target.world.groups.remove(stageGroupId);
    await expect(at.call('planUndo', { ...asked, reading: 4 })).rejects.toMatchObject({
      code: 'GROUP_NOT_FOUND',
      hint: expect.stringMatching(/^This is a group of stage traffic\/live\. /),
    });
  });
});
