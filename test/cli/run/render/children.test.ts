import { describe, expect, it } from '@jest/globals';
import { childText, phaseOfChild } from '../../../../src/cli/run/render/run-list';
import { plainStyle } from '../../../../src/cli/terminal/style';

const child = (rest: Partial<Parameters<typeof childText>[0]>) => ({
  runId: 'promotion-transport-20261123T145705Z-9p22_004',
  items: 2,
  status: 'succeeded' as const,
  ...rest,
});

describe('a run that another one is made of', () => {
  it.each([
    ['the plan of a group', { name: 'roads', does: 'plan' }, 'plan', '2 items  succeeded  plan roads'],
    ['its import', { name: 'roads', does: 'import' }, 'import', '2 items  succeeded  import roads'],
    ['its undoing', { name: 'roads', does: 'undo' }, 'rollback', '2 items  succeeded  undo roads'],
    ['settings', { name: 'settings', does: 'import' }, 'portal', '2 items  succeeded  import settings'],
    ['a backup of a release', { name: 'roads' }, 'groups', '2 items  succeeded  roads'],
    ['a part of a search', {}, 'search', '2 items  succeeded'],
  ] as const)('is shown under its phase, and what it does: %s', (_, rest, phase, text) => {
    expect(phaseOfChild(child(rest))).toBe(phase);
    expect(childText(child(rest), plainStyle)).toMatch(new RegExp(`9p22_004 +${text}$`));
  });
});
