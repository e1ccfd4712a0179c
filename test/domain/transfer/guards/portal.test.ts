import { describe, expect, it } from '@jest/globals';
import { mayTransfer } from '../../../../src/domain/transfer/guards/group';
import {
  newEnough,
  packable,
  releaseOrder,
  selfManaged,
  twoPortals,
  writable,
} from '../../../../src/domain/transfer/guards/portal';
import { facts, linesOf } from '../facts';

const staging = (otherwise: Parameters<typeof facts>[1] = {}) => facts('staging', otherwise);
const production = (otherwise: Parameters<typeof facts>[1] = {}) => facts('production', otherwise);

describe('a guard of one portal', () => {
  it.each([
    [
      'ArcGIS Online',
      selfManaged(staging({ isPortal: false })),
      [
        'deployment of staging: refuse NOT_SELF_MANAGED',
        'staging is ArcGIS Online',
        'needs ArcGIS Enterprise',
        'Use an ArcGIS Enterprise portal in the route; ArcGIS Online cannot export or import groups.',
      ],
    ],
    [
      'an old portal',
      newEnough(staging({ runs: '10.8' })),
      [
        'version of staging: refuse VERSION_TOO_OLD',
        'staging runs 10.8',
        'needs 10.8.1 or later',
        'Upgrade staging; older portals cannot export or import groups.',
      ],
    ],
    [
      'a read-only source',
      packable(staging({ readOnly: true })),
      [
        'writing to staging: unknown',
        'staging is read-only, but an export creates its package there as an item',
        'needs a portal that accepts changes',
        'If the export fails, turn off read-only mode of staging.',
      ],
    ],
  ])('judges %s', (_, result, lines) => {
    expect(linesOf(result)).toEqual(lines);
  });

  it('refuses a read-only target, and never passes an unknown kind of portal', () => {
    expect(writable(production()).verdict).toBe('pass');
    expect(linesOf(writable(production({ readOnly: true }))).slice(0, 2)).toEqual([
      'writing to production: refuse TARGET_READ_ONLY',
      'production is read-only',
    ]);
    expect(selfManaged(staging({ isPortal: undefined })).verdict).toBe('unknown');
  });

  it('never passes a portal that reports no version [P21]', () => {
    const silent = staging({ release: undefined, version: '' });
    expect([newEnough(silent), releaseOrder(silent, production())]).toMatchObject([
      { verdict: 'unknown', saw: 'staging reports no version' },
      { verdict: 'unknown', saw: 'staging ?, production 11.4' },
    ]);
  });
});

it.each([
  '11.2 to 11.4: pass',
  '11.4 to 11.4: pass',
  '10.9.1 to 11.0: pass',
  '11.4 to 11.3: TARGET_OLDER',
  '10.9.1 to 10.9: TARGET_OLDER',
  '12.0 to 11.5: TARGET_OLDER',
  // The source reports the number of the interface, the target that of the release.
  '2023.2 to 11.2.0: pass',
  '2024.1 to 11.2.0: TARGET_OLDER',
  '2026.2 to 12.2: pass',
  '2026.2 to 12.0: TARGET_OLDER',
  // From 11 on the third number is a patch, which the number of the interface omits.
  '11.3.1 to 2024.1: pass',
  '11.3.1 to 11.3: pass',
  '11.3.2 to 11.3.1: TARGET_OLDER',
  '11.4.1 to 11.3: TARGET_OLDER',
  // 2027.1 is above all known numbers: 12.2 or anything later.
  '12.2 to 2027.1: pass',
  '12.3 to 2027.1: unknown',
  '2027.1 to 12.1: TARGET_OLDER',
  '2027.1 to 12.2: unknown',
  '2027.1 to 12.3: unknown',
  '2027.1 to 2027.1: pass',
  '2027.1 to 2027.2: unknown',
])('orders versions: %s', (row) => {
  const [from, , to = ''] = row.split(' ');
  const { verdict, code } = releaseOrder(staging({ runs: from }), production({ runs: to.slice(0, -1) }));
  expect(`${from} to ${to} ${code ?? verdict}`).toBe(row);
});

describe('the guard of the two ends of a route', () => {
  const local = (host: string, port: number, name = host) =>
    facts(name, { url: `http://${host}:${port}/portal/sharing/rest`, hostname: undefined });
  const behind = (name: string) =>
    facts(name, { url: `https://gis.example.com/${name}/sharing/rest`, hostname: 'gis.example.com' });
  const sameName = production({ hostname: 'staging.example.com/portal' });

  it.each([
    ['the ID that most portals have', staging(), production()],
    ['another ID behind one host name', staging(), { ...sameName, portalId: 'another' }],
    ['another port of this machine', local('127.0.0.1', 4801), local('localhost', 4802)],
    ['two paths of a machine whose portals know only its name', behind('staging'), behind('production')],
  ])('passes %s', (_, source, target) => {
    expect(linesOf(twoPortals(source, target))).toEqual([
      'two portals: pass',
      `${source.name} and ${target.name}`,
    ]);
  });

  it('refuses one port of this machine under any name', () => {
    expect(twoPortals(local('127.0.0.1', 4801), local('localhost', 4801)).code).toBe('SAME_PORTAL');
  });

  const lead = 'staging and production both lead to staging.example.com/portal';
  it.each([
    [
      'another spelling',
      production({ url: 'http://STAGING.example.com:80/Portal/sharing/rest/', hostname: undefined }),
      lead,
    ],
    ['an alias', production({ aliases: ['https://staging.example.com/portal'], hostname: undefined }), lead],
    ['one host name', sameName, 'staging and production both report the address staging.example.com/portal'],
  ])('refuses one portal under two names: %s', (_, target, saw) => {
    expect(linesOf(twoPortals(staging(), target))).toEqual([
      'two portals: refuse SAME_PORTAL',
      saw,
      'needs two different portals; items keep their IDs',
      'Choose another portal for one end of the route.',
    ]);
  });
});

describe('the guard of the account', () => {
  const group = { id: 'a'.repeat(32), title: 'Transport', owner: 'grace' };
  const ownerless = { ...group, owner: undefined };
  const membership = { ...ownerless, userMembership: { username: 'ada', memberType: 'owner' } };

  it.each([
    ["the group's owner in another case", { username: 'Grace' }, 'pass', group],
    ['a full administrator', { role: 'org_admin', fullAdmin: true }, 'pass', group],
    // The portal decides: nothing says what a custom role on top of an administrator may do.
    ['a custom role on top of an administrator', { role: 'org_admin', fullAdmin: false }, 'unknown', group],
    ['an administrator without a user', { username: undefined, fullAdmin: true }, 'NO_USER', group],
    ['a member of a group without an owner', {}, 'unknown', ownerless],
    ['an owner by membership', {}, 'pass', membership],
  ])('judges %s', (_, who, verdict, of) => {
    const result = mayTransfer(staging(who), of);
    expect(result.code ?? result.verdict).toBe(verdict);
  });

  it('names the owner whose account would do', () => {
    expect(linesOf(mayTransfer(staging(), group))).toEqual([
      'account on staging: refuse NOT_OWNER_OR_ADMIN',
      'ada is not an administrator, and "Transport" belongs to grace',
      'needs a user who owns the group "Transport" or is an administrator',
      'Sign in to staging as grace or as an administrator.',
    ]);
  });
});
