import { bindToPlan, notApproved, PlanNames, shortHash } from '../../../src/model/transfer/plan-summary';
import { describe, expect, it } from '@jest/globals';

const first = { hash: '9f2c-41aa-03d7', sha256: `9f2c41aa03d7${'1'.repeat(52)}` };
const second = { hash: '9f2c-41aa-03d7', sha256: `9f2c41aa03d7${'2'.repeat(52)}` };

describe('a second plan with the same short form', () => {
  it('needs its whole hash, so that approval of the first is refused', () => {
    const names = new PlanNames();
    expect(shortHash(first.sha256)).toBe(first.hash);
    expect(names.named(first)).toEqual(first);
    const shown = names.named(second);
    expect(shown).toEqual({ hash: second.sha256, sha256: second.sha256 });
    expect(notApproved(shown, bindToPlan(shown, first.hash))).toBe(
      `the plan is now ${second.sha256}, not ${first.hash}; review it again`,
    );
    expect(notApproved(shown, bindToPlan(shown, second.sha256))).toBeUndefined();
    // Read again it is the same plan, and so is the first one.
    expect(names.named(second)).toEqual(shown);
    expect(names.named(first)).toEqual(first);
  });

  it('is not approved by an approval of the first [P02]', () => {
    const yes = bindToPlan(first, first.hash);
    expect(yes).toEqual(first);
    expect(notApproved(first, yes)).toBeUndefined();
    expect(notApproved(second, yes)).toContain(
      'differs from the approved plan although both have this short hash',
    );
  });
});
