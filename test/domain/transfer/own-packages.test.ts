import { describe, expect, it } from '@jest/globals';
import {
  exportName,
  isOfRun,
  isCreatedByPortolan,
  runOfPackage,
  uploadName,
} from '../../../src/domain/transfer/own-packages';
import {
  fileRunId,
  partRunId,
  runIdOfFile,
  shortRunId,
  timeOfRunId,
  dueTimeOf,
  scheduledRunIdBase,
} from '../../../src/model/run/run-id';
import type { Item } from '../../../src/portal/resources/items/item';

const byHand = 'sync-transport-20261121T030000Z-k7q2';
const base = scheduledRunIdBase({ kind: 'backup', subject: 'Trans.port', name: 'nightly' }, 'portolan');
const bySchedule = `${base}-2026-11-21T03:00:00Z`;

const ofRelease = partRunId('release-transport-nightly-2026-11-21T03:00:00Z', 2);

const ofPromotion = partRunId(partRunId('promote-transport-weekly-2026-11-21T03:00:00Z', 1), 3, 'restore');

const item = (fields: Partial<Item>): Item => ({ id: 'i', type: 'Export Package', ...fields });

describe('the ID of a scheduled run', () => {
  it('has its due time', () => {
    expect(bySchedule).toBe('backup-Trans.port--nightly-2026-11-21T03:00:00Z');
    expect(dueTimeOf(bySchedule)).toBe(Date.UTC(2026, 10, 21, 3));
    expect(dueTimeOf(byHand)).toBeUndefined();
  });

  it('names the task queue if it is not the default', () => {
    const other = { kind: 'backup', subject: 'a', name: 'nightly' } as const;
    expect(scheduledRunIdBase(other, 'team-two')).toBe('backup-a--team-two--nightly');
  });

  it('has a short end of its own', () => {
    expect(shortRunId(bySchedule)).toBe('nightly-2026-11-21T03:00:00Z');
    expect(bySchedule.endsWith(shortRunId(bySchedule))).toBe(true);
    expect(shortRunId(byHand)).toBe('k7q2');
  });

  it('has no colons in a file name', () => {
    expect(fileRunId(bySchedule)).toBe('backup-Trans.port--nightly-2026-11-21T030000Z');
    expect(exportName(bySchedule, 'safeguard', 2, 0)).not.toContain(':');
    expect(uploadName(bySchedule, 0)).not.toContain(':');
  });
});

it('a child run ID ends like its parent, has its time, and is found by its file', () => {
  expect(ofRelease).toBe('backup-transport-nightly-2026-11-21T03:00:00Z_002');
  expect(shortRunId(ofRelease)).toBe('nightly-2026-11-21T03:00:00Z_002');
  expect(runIdOfFile(fileRunId(ofRelease))).toBe(ofRelease);
  const due = Date.UTC(2026, 10, 21, 3);
  expect(ofPromotion).toBe('restore-transport-weekly-2026-11-21T03:00:00Z_001_003');
  expect(runIdOfFile(fileRunId(ofPromotion))).toBe(ofPromotion);
  for (const runId of [byHand, `${byHand}_002`, bySchedule, ofRelease, ofPromotion])
    expect(timeOfRunId(runId)).toBe(due);
});

describe.each([byHand, bySchedule, ofRelease, ofPromotion])('a package of %s', (runId) => {
  it.each([
    ['its title', item({ title: uploadName(runId, 0) }), fileRunId(runId)],
    [
      'the title of its safeguard',
      item({ title: `${exportName(runId, 'safeguard', 2, 0)}.epk` }),
      fileRunId(runId),
    ],
    ['its tags', item({ title: 'Export of a group', tags: ['portolan', 'epk', runId] }), runId],
    ['its tags before its title', item({ title: uploadName(runId, 0), tags: ['portolan', runId] }), runId],
  ])('is known by %s', (_by, given, told) => {
    expect(isCreatedByPortolan(given)).toBe(true);
    expect(isOfRun(given, runId)).toBe(true);
    expect(runOfPackage(given)).toBe(told);
  });
});

it('tells the package of the thousandth child from that of the hundredth', () => {
  const [hundredth, thousandth] = [100, 1000].map((number) =>
    partRunId('promotion-transport-20261121T030000Z-k7q2', number, 'restore'),
  ) as [string, string];
  expect(isOfRun(item({ title: uploadName(thousandth, 0) }), hundredth)).toBe(false);
  expect(isOfRun(item({ title: uploadName(hundredth, 0) }), hundredth)).toBe(true);
});

it('recognizes no package of others, whatever its tags', () => {
  const other = item({ title: 'Roads', tags: ['a-b-c'] });
  expect(isCreatedByPortolan(other)).toBe(false);
  expect(runOfPackage(other)).toBeUndefined();
  expect(isOfRun(other, byHand)).toBe(false);
});
