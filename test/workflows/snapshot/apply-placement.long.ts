import { afterEach, describe, expect, it } from '@jest/globals';
import { transportItems } from '../../../src/simulator/seed/transport';
import type { BackupRehearsal } from '../../support/backup-rehearsal';
import { until } from '../../support/until';
import { arranged, loseAnswers, openForOwners, requestsOf, wholeState } from './apply-placement';

const { app, pdf, story } = transportItems;

let at: BackupRehearsal;
afterEach(() => at.close());

describe('a restore that puts right what an import does not carry, long', () => {
  it('survives every lost answer, and a worker that stops half way; so does its undoing', async () => {
    at = await openForOwners({ target: { importThumbnails: false } });
    const { target } = at.rehearsal;
    const { items } = target.world;
    const id = await arranged(at);
    const before = await wholeState(target);
    loseAnswers(target, 'item.reassign', 'folder.create', 'item.share', 'item.update', 'item.protect');
    target.faults.add({ match: { operation: 'item.move' }, nth: 2, when: 'after', do: 'hold' });
    const handle = await at.startRestore(
      id,
      {},
      { placementRules: { owners: { default: 'viewer', map: {} } } },
    );
    const isMoved = (itemId: string): boolean => {
      const { owner, ownerFolder = null } = items.get(itemId) ?? {};
      return owner === 'viewer' && ownerFolder !== null;
    };
    await until('the second move', () => [app, story, pdf].filter(isMoved).length === 2);
    await at.rehearsal.stopWorker();
    target.faults.release();
    await at.rehearsal.startWorker();
    const { record } = await at.rehearsal.ended(handle);
    expect(record).toMatchObject({ status: 'succeeded', verification: { findings: [] }, warnings: [] });
    const given = requestsOf(at, 'item.reassign').map(({ path }) => path);
    expect(given).toHaveLength(new Set(given).size);
    expect(requestsOf(at, 'folder.create')).toHaveLength(2);
    expect(requestsOf(at, 'item.move')).toHaveLength(3);
    expect(requestsOf(at, 'item.protect')).toHaveLength(1);

    loseAnswers(target, 'item.unprotect', 'item.delete', 'folder.delete');
    const { record: undone } = await at.rollback(record, { deleteCreated: true });
    expect(undone).toMatchObject({ status: 'succeeded', warnings: [], created: { there: [] } });
    expect(await wholeState(target)).toEqual(before);
  });
});
