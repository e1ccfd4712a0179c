import { expect, it } from '@jest/globals';
import { phaseOfChild } from '../../../src/service/run/phases-sheet';
import { childTable } from '../../../src/service/run/run-sheet';
import { drawn } from '../../support/drawn';

const child = (rest: Partial<Parameters<typeof phaseOfChild>[0]>) => ({
  runId: 'promotion-transport-20261123T145705Z-9p22_004',
  items: 2,
  status: 'succeeded' as const,
  ...rest,
});

it.each([
  ['the plan of a group', { name: 'roads', does: 'plan' }, 'plan', 'plan roads +2 +succeeded'],
  ['its import', { name: 'roads', does: 'import' }, 'import', 'import roads +2 +succeeded'],
  ['its undoing', { name: 'roads', does: 'undo' }, 'rollback', 'undo roads +2 +succeeded'],
  ['settings', { name: 'settings', does: 'import' }, 'portal', 'import settings +2 +succeeded'],
  ['a backup of a release', { name: 'roads' }, 'groups', 'roads +2 +succeeded'],
  ['a part of a search', {}, 'search', '2 +succeeded'],
] as const)('a child run is shown under its phase with its task: %s', (_, rest, phase, text) => {
  expect(phaseOfChild(child(rest))).toBe(phase);
  expect(drawn([childTable([child(rest)])])).toMatch(new RegExp(`9p22_004 +${text}$`));
});
