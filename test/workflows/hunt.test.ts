import { afterEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { huntWorkflow, type HuntInput } from '../../src/model/hunt';
import { emptyGroupId, manyGroupId } from '../../src/simulator/seed/seeds';
import { type Ended, Rehearsal } from './rehearsal';

let rehearsal: Rehearsal;
afterEach(() => rehearsal.close());

const itemIds = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `c${(at + 1).toString(16).padStart(31, '0')}`);

const open = async (items: number, poison: readonly string[]): Promise<Rehearsal> =>
  (rehearsal = await Rehearsal.open({
    source: { seed: 'many', seedItems: items },
    target: { seed: 'empty', poison },
    groups: { source: manyGroupId, target: emptyGroupId },
  }));

const logged = (portal: 'source' | 'target', operation: string): number =>
  rehearsal[portal].requests().filter((each) => each.operation === operation).length;

const imports = (): number =>
  rehearsal.target
    .requests()
    .filter(({ operation, params }) => operation === 'group.import' && params['previewOnly'] !== 'true')
    .length;

/** The run whose import fails as a whole, and which a hunt searches. */
async function failed(): Promise<Ended> {
  const parent = await rehearsal.sync(rehearsal.route(), { parks: false });
  expect(parent.record).toMatchObject({ status: 'failed', error: { code: 'JOB_FAILED' } });
  return parent;
}

async function hunt({ runId, record }: Ended, items: readonly string[]): Promise<WorkflowHandle> {
  const { temporal, config } = rehearsal;
  const huntId = `hunt-transport-${randomBytes(4).toString('hex')}`;
  const route = rehearsal.route();
  const input: HuntInput = {
    runId: huntId,
    route: { ...route, options: { ...route.options, items } },
    startedBy: 'test',
    parent: runId,
    reuse: { runId, sha256: record.package!.sha256 },
    wholeFailed: true,
  };
  return await temporal.client.workflow.start(huntWorkflow, {
    workflowId: huntId,
    taskQueue: config.temporal.taskQueue,
    args: [input],
  });
}

describe('a hunt', () => {
  it('names the items at fault and imports all others, with no more imports than halving takes', async () => {
    const items = itemIds(17);
    const poison = [items[4]!, items[16]!];
    await open(17, poison);
    const parent = await failed();
    const before = imports();
    const { runId, record } = await rehearsal.ended(await hunt(parent, items));
    expect(record).toMatchObject({
      kind: 'hunt',
      status: 'partial',
      target: 'changed',
      parent: parent.runId,
    });
    const ledger = await rehearsal.ledger(runId);
    expect(ledger.failed.map(({ itemId }) => itemId).sort()).toEqual([...poison].sort());
    expect(ledger.failed[0]?.reason).toContain('could not be imported');
    expect(ledger.imported.map(({ itemId }) => itemId).sort()).toEqual(
      items.filter((itemId) => !poison.includes(itemId)).sort(),
    );
    expect(imports() - before).toBe(record.children?.length);
    expect(imports() - before).toBeLessThanOrEqual(2 * poison.length * (Math.log2(17) + 1));
    expect(logged('source', 'group.export')).toBe(1);
    expect(rehearsal.packages()).toEqual([]);
  });
});
