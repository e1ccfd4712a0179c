import { describe, expect, it } from '@jest/globals';
import { boundFields, changeWith } from '../../../src/domain/change/plan-change';
import { importedAddresses } from '../../../src/domain/change/imported-addresses';
import { ReferenceMapper } from '../../../src/domain/transfer/references/map';
import type { Change } from '../../../src/model/transfer/change';
import { comparedFigures, type PlanRow } from '../../../src/model/transfer/plan';
import { changesWords, comparedWords, planWords } from '../../../src/model/transfer/plan-summary';
import { aPlanRow } from '../transfer/facts';

const same: Change = { kind: 'same', fields: [], sha256: 's' };
const title = { path: 'item.title', label: 'title', before: 'a', after: 'b' };
const changed: Change = { kind: 'changed', fields: [title], sha256: 'c' };
const owner = { path: 'item.owner', label: 'owner', before: 'm.lee', after: 'sync' };

describe('the change by an import', () => {
  it('includes what else the run sets', () => {
    expect(changeWith(same, { fields: [] })).toEqual(same);
    expect(changeWith(same, { fields: [owner] })).toMatchObject({ kind: 'changed', fields: [owner] });
    expect(changeWith(changed, { fields: [owner] }).fields).toEqual([owner, title]);
    const hashes = [same, changed].map((each) => changeWith(each, { fields: [owner] }).sha256);
    expect(new Set([...hashes, same.sha256, changed.sha256]).size).toBe(4);
  });

  it('is unknown if the same content proves nothing', () => {
    const doubt = 'its rows are only counted';
    expect(changeWith(same, { fields: [], doubt })).toMatchObject({ kind: 'unknown', why: doubt });
    expect(changeWith(changed, { fields: [], doubt })).toEqual(changed);
    const unread: Change = { kind: 'unknown', fields: [], why: 'it is not JSON', sha256: 'u' };
    expect(changeWith(unread, { fields: [owner], doubt })).toMatchObject({
      kind: 'unknown',
      why: 'it is not JSON',
      fields: [owner],
    });
  });
});

const row = (itemId: string, action: PlanRow['action'], change?: Change) =>
  aPlanRow(itemId, action, { change });

describe('a plan', () => {
  it('shows a bounded number of fields, counts the rest, and keeps every hash', () => {
    const many = { ...changed, fields: Array.from({ length: 5 }, () => title), more: 2 };
    const rows = ['a', 'b', 'c'].map((id) => row(id, 'overwrite', many));
    const bound = boundFields(rows, 7).map(({ change }) => change);
    expect(bound.map((each) => [each?.fields.length, each?.more, each?.sha256])).toEqual([
      [5, 2, 'c'],
      [2, 5, 'c'],
      [0, 7, 'c'],
    ]);
  });

  it('counts changed, identical and unknown items', () => {
    const rows = [
      row('a', 'overwrite', changed),
      row('b', 'overwrite', { ...same, kind: 'unknown' }),
      row('c', 'same', same),
      row('d', 'same'),
      row('e', 'create'),
    ];
    expect(comparedFigures(rows)).toEqual({ identical: 1, changed: 1, unknown: 1 });
    expect(comparedFigures(rows.slice(3))).toEqual({});
    const figures = { overwrite: 2, changed: 1, unknown: 1, same: 2 };
    expect(comparedWords(figures)).toBe('1 changes, 1 is unknown, 2 are identical');
    expect(comparedWords({ changed: 2, same: 16 })).toBe('2 change, 16 are identical');
    expect(comparedWords({})).toBe('');
    expect(changesWords({ overwrite: 2, changed: 2, same: 16 })).toBe(
      'overwrite 2 items (2 change, 16 are identical)',
    );
    const plan = { create: 0, keep: 0, blocked: 0, extra: 0, arrivedLater: 0, sha256: '', ref: '' };
    expect(planWords({ ...plan, hash: 'h', overwrite: 2, changed: 2, same: 16 })).toBe(
      'plan h: 0 create, 2 overwrite, 0 keep, 0 blocked; 2 change, 16 are identical',
    );
  });
});

describe('the rewritten addresses of an import', () => {
  const hosted = (server: string, name: string) => `${server}/rest/services/Hosted/${name}/FeatureServer`;
  const dev = { url: 'https://dev.example.com/portal/sharing/rest', aliases: [], hostname: undefined };
  const live = {
    url: 'https://10.0.0.8:7443/arcgis/sharing/rest',
    aliases: ['https://maps.example.com/portal'],
    hostname: 'gis.example.com/portal',
  };
  const { coming, held } = importedAddresses({
    source: dev,
    target: live,
    sourceAddresses: ['http://dev-inside.example.com/portal'],
    services: [
      {
        source: hosted('https://dev-hosting.example.com/server', 'Roads'),
        target: hosted('https://hosting.example.com/server', 'Roads_1'),
      },
    ],
  });
  it.each([
    ['https://dev.example.com/portal/apps/?id=1', 'https://gis.example.com/portal/apps/?id=1'],
    ['http://dev-inside.example.com/portal', 'https://gis.example.com/portal'],
    [
      `${hosted('https://dev-hosting.example.com/server', 'Roads')}/0`,
      `${hosted('https://hosting.example.com/server', 'Roads_1')}/0`,
    ],
    [
      hosted('https://dev-hosting.example.com/server', 'Rivers'),
      hosted('https://hosting.example.com/server', 'Rivers'),
    ],
    ['https://elsewhere.example.com/server', 'https://elsewhere.example.com/server'],
    ['https://dev.example.com/portal2', 'https://dev.example.com/portal2'],
  ])('%s comes as %s', (from, to) => {
    expect(new ReferenceMapper(coming).mapped(from)).toBe(to);
  });

  it('are those of the source, and one name of the target', () => {
    const mapper = new ReferenceMapper(held);
    expect(mapper.mapped('https://maps.example.com/portal/home')).toBe('https://gis.example.com/portal/home');
    expect(mapper.mapped('https://dev.example.com/portal/home')).toBe('https://dev.example.com/portal/home');
  });

  it.each([
    ['http://gis.example.com/portal/home', 'https://gis.example.com/portal/home'],
    ...['Roads_1', 'Rivers'].map((name) => [
      `${hosted('http://hosting.example.com/server', name)}/0`,
      `${hosted('https://hosting.example.com/server', name)}/0`,
    ]),
  ])('make %s on the target, and in what comes, the same as with https', (from = '', to = '') => {
    for (const map of [held, coming]) expect(new ReferenceMapper(map).mapped(from)).toBe(to);
  });
});
