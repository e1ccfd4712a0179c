import { describe, expect, it } from '@jest/globals';
import { mayTransfer } from '../../../../src/domain/transfer/guards/group';
import type { PortalFacts } from '../../../../src/domain/transfer/portal-facts';
import { facts } from '../facts';

const group = { id: 'a'.repeat(32), title: 'Transport', owner: 'grace' };

describe('the guard of the account', () => {
  const cases: [string, Partial<PortalFacts>, string, string | undefined][] = [
    ["the group's owner", { username: 'grace' }, 'pass', undefined],
    ["the group's owner, written in another case", { username: 'Grace' }, 'pass', undefined],
    ['a full administrator', { role: 'org_admin', fullAdmin: true }, 'pass', undefined],
    // The portal decides: nothing says what a custom role on top of an administrator may do.
    [
      'a custom role on top of an administrator',
      { role: 'org_admin', fullAdmin: false },
      'unknown',
      undefined,
    ],
    ['another member', {}, 'refuse', 'NOT_OWNER_OR_ADMIN'],
    ['credentials without a user', { username: undefined }, 'refuse', 'NO_USER'],
    [
      'credentials without a user, though of an administrator',
      { username: undefined, fullAdmin: true },
      'refuse',
      'NO_USER',
    ],
  ];
  it.each(cases)('judges %s', (_, who, verdict, code) => {
    const result = mayTransfer(facts('staging', who), group);
    expect([result.verdict, result.code]).toEqual([verdict, code]);
  });

  it('names the owner whose account would do', () => {
    expect(mayTransfer(facts('staging'), group)).toEqual({
      name: 'account on staging',
      verdict: 'refuse',
      saw: 'ada is not an administrator, and "Transport" belongs to grace',
      needs: 'a user who owns the group "Transport" or is an administrator',
      todo: 'Sign in to staging as grace or as an administrator.',
      code: 'NOT_OWNER_OR_ADMIN',
    });
  });

  it('does not pass silently where the portal names no owner', () => {
    expect(mayTransfer(facts('staging'), { ...group, owner: undefined }).verdict).toBe('unknown');
    const membership = { username: 'ada', memberType: 'owner' };
    expect(
      mayTransfer(facts('staging'), { ...group, owner: undefined, userMembership: membership }).verdict,
    ).toBe('pass');
  });
});
