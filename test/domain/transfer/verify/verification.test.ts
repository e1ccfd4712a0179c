import { describe, expect, it } from '@jest/globals';
import {
  emptyVerification,
  joinVerifications,
  FindingsBuilder,
  shown,
} from '../../../../src/domain/transfer/verify/verification';

describe('the findings of an item', () => {
  it('counts an item as checked when nothing of it was left out', () => {
    const clean = new FindingsBuilder('1', 'Roads');
    clean.followed(3);
    clean.find('missing', { hint: 'Look for it.' });
    expect(clean.end()).toEqual({
      ...emptyVerification(),
      checked: 1,
      references: 3,
      findings: [{ itemId: '1', title: 'Roads', kind: 'missing', hint: 'Look for it.' }],
    });
    const partly = new FindingsBuilder('2');
    partly.notChecked('no answer', { path: 'data' });
    expect(partly.end()).toMatchObject({
      checked: 0,
      notChecked: [{ itemId: '2', path: 'data', reason: 'no answer' }],
    });
    expect(joinVerifications([clean.end(), partly.end()])).toMatchObject({ checked: 1, references: 3 });
  });

  it('shows a value masked, and cut to fit a record', () => {
    expect(shown('https://a.example.com/x?token=abc')).toBe('https://a.example.com/x?token=***');
    expect(shown('x'.repeat(2_000))).toHaveLength(500);
  });
});
