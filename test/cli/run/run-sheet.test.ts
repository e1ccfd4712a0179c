import { describe, expect, it } from '@jest/globals';
import { bytesText, countWords, durationWords, itemSizeWords } from '../../../src/model/text/words';
import type { PlanRow } from '../../../src/model/transfer/plan';
import { guardTable, guardWords } from '../../../src/service/run/guards-sheet';
import { ledgerSheet, verificationSheet } from '../../../src/service/run/outcome-sheet';
import { planSheet, planTable } from '../../../src/service/run/plan-sheet';
import { runTable } from '../../../src/service/run/run-sheet';
import { runTitle } from '../../../src/service/run/run-words';
import { drawn } from '../../support/drawn';
import { phasesUpTo, planOf, runRecordOf, secondsIn, shownOf } from './records';

const record = runRecordOf();
const planText = (rows?: readonly PlanRow[], plan = record.plan) =>
  drawn(planSheet({ ...record, plan }, rows));

describe('figures', () => {
  it.each([
    [800, '0.8s'],
    [59_949, '59.9s'],
    [59_999, '1m00s'],
    [151_000, '2m31s'],
    [3_725_000, '1h02m'],
    [273_600_000, '3d04h'],
  ])('write %d ms as %s', (milliseconds, words) => expect(durationWords(milliseconds)).toBe(words));

  it('write sizes and counts for people', () => {
    expect([bytesText(0), bytesText(512), bytesText(88_080_384), bytesText(2_040_109_466)]).toEqual([
      '0 bytes',
      '512 bytes',
      '84 MB',
      '1.9 GB',
    ]);
    expect([itemSizeWords(undefined), itemSizeWords(-1), itemSizeWords(0)]).toEqual(['?', '?', '0 bytes']);
    expect([countWords(214310), countWords(999), countWords(1_000_000)]).toEqual([
      '214 310',
      '999',
      '1 000 000',
    ]);
  });
});

describe('a plan', () => {
  it('is shown in figures, with what deserves attention in full', () => {
    expect(planText(planOf().rows)).toBe(
      `PLAN b41c-77e0-19aa for production "Transport"
create     5  new on production
              3 CSV, 2 PDF
overwrite  6  5 Web Map, 1 StoryMap
!          1  changed on production since its last import:
              "Road [31mclosures" StoryMap 2026-11-20 16:02Z
keep       2  2 Feature Service: exists; its data is kept (data: keep)
blocked    1  "Bridges": belongs to m.lee, outside the target group
extra      3  only on production; never deleted

full list  portolan run show k7q2 --plan`,
    );
  });

  it('shows examples of what the map of a stage changes', () => {
    const example = {
      itemId: 'a',
      title: 'Roads',
      path: 'data.tables[0].url',
      before: 'https://dev/0',
      after: 'https://live/0',
    };
    const figures = { ...record.plan!, mapped: { items: 4, places: 12, unknown: 2, examples: [example] } };
    expect(planText(planOf().rows, figures)).toContain(`
map: 12 URLs and IDs in 4 items; 2 more items cannot be checked before the import
ITEM   FIELD               BEFORE         AFTER
Roads  data.tables[0].url  https://dev/0  https://live/0`);
  });

  it('names apps of a group that the target lacks', () => {
    const plan = planOf();
    const group = 'a'.repeat(32);
    const rows = plan.rows.map((row) =>
      row.action === 'create' ? { ...row, group, reason: 'set it' } : row,
    );
    expect(planText(rows)).toContain(
      '!          5  configured by a group that production does not have:\n              "c1": set it\n',
    );
  });

  it('names what a rollback could not restore', () => {
    const { rows, ...plan } = planOf();
    const beyond = ['belongs to m.lee\n, to whom only an administrator can give it back'];
    const more = { ...plan, rows: rows.map((row) => (row.itemId === 'o1' ? { ...row, beyond } : row)) };
    expect(planText(more.rows)).toContain(
      `
!          1  cannot be fully restored if production replaces the item, not just its content:
              "o1" belongs to m.lee , to whom only an administrator can give it back
`,
    );
    expect(drawn([planTable(more)])).toMatch(/overwrite +o1 .* o1 +cannot be restored: belongs to m\.lee/m);
  });

  it('names the owners of new items', () => {
    const { rows, ...plan } = planOf();
    const owned = (owner: string) => rows.map((row) => (row.action === 'create' ? { ...row, owner } : row));
    const more = {
      ...plan,
      rows: owned('editor').map((row) => (row.itemId === 'c1' ? { ...row, owner: 'gis' } : row)),
    };
    expect(planText(more.rows)).toContain('\n              for editor (4), gis (1)\n');
    expect(drawn([planTable(more)])).toMatch(/create +c1 .* c1 +owner: gis$/m);
  });

  it('is shown in figures alone without its rows', () => {
    expect(planText()).toBe(
      `PLAN b41c-77e0-19aa for production "Transport"
create     5  new on production
overwrite  6
keep       2
blocked    1
extra      3  only on production; never deleted

full list  portolan run show k7q2 --plan`,
    );
  });

  it('lists every row, with ? for an unknown size', () => {
    const lines = drawn([planTable(planOf())]).split('\n');
    expect(lines).toHaveLength(18);
    expect(lines[0]).toBe(
      'ACTION     TITLE              TYPE             SIZE    TARGET MODIFIED            ITEM ID  REASON',
    );
    expect(lines[4]).toMatch(/^create {5}c4 +PDF +3\.3 MB +c4$/);
    expect(lines[12]).toMatch(/^keep +k1 +Feature Service +\? +k1 +exists; its data is kept \(data: keep\)$/);
  });
});

describe('results and verification', () => {
  it('name what is missing, and count what arrived', () => {
    expect(drawn(ledgerSheet(record.items))).toBe(
      `Results: 313 items requested
311 imported, 1 kept, 1 blocked

RESULT   TITLE    TYPE     ITEM ID                           REASON
blocked  Bridges  Web Map  31d0aaaaaaaaaaaaaaaaaaaaaaaaaa5a  belongs to m.lee`,
    );
  });

  it('name each finding with its place, value and fix', () => {
    expect(drawn(verificationSheet(record.verification))).toBe(
      `Verification
311 items, 57 references, 214 310 features: 1 finding, 1 not checked

FINDING         TITLE          ITEM ID                           PLACE                          VALUE                                                                FIX
source-address  Road closures  31d0aaaaaaaaaaaaaaaaaaaaaaaaaa5a  data.operationalLayers[3].url  https://gis-stg.example.com/server/rest/services/Closures/MapServer  a map service on staging's own server: not hosted, so never exported

Not checked
ITEM ID  PLACE     VALUE  REASON
n1       item.url         the layer gave no count`,
    );
  });
});

describe('the sheet of a run', () => {
  it('shows phases, plan, results and verification together', () => {
    const page = shownOf(record, undefined, { plan: planOf() });
    expect(page.split('\n\n').map((block) => block.split('\n')[0]?.replace(/ {2}.*/, ''))).toEqual([
      'PARTIAL sync-transport-20261121T011200Z-k7q2',
      'what',
      'ok',
      'Warnings',
      'PLAN b41c-77e0-19aa for production "Transport"',
      'full list',
      'Results: 313 items requested',
      'RESULT',
      'Verification',
      'FINDING',
      'Not checked',
      'Activity',
    ]);
    expect(page).toContain(' ?  disk on production  this account cannot read it');
    expect(page).toContain(
      'Ended 2026-11-21 01:16Z after 4m16s: 311 imported, 1 kept, 1 blocked, 1 finding. The target has changed.',
    );
  });

  it('shows the direction of a stage rollback in its title', () => {
    const promoted = runRecordOf({
      kind: 'promotion',
      stage: 'transport/production',
      release: { id: 'transport-20261121T110000Z-m4wd' },
    });
    const back = { runId: 'promotion-x', to: 'transport-20261121T090000Z-k7q2' };
    expect(runTitle(promoted)).toBe('promotion of transport-20261121T110000Z-m4wd to transport/production');
    const record = { ...promoted, undoes: back };
    expect(runTitle(record)).toBe(
      'rollback of transport/production: 20261121T110000Z-m4wd → 20261121T090000Z-k7q2',
    );
    expect(runTitle({ ...record, undoes: { runId: back.runId } })).toMatch(/-m4wd → no release$/);
    expect(shownOf(record)).toContain('rollback of transport/production: 20261121T110000Z-m4wd → ');
  });

  it('shows how long a run has run until its end is known', () => {
    const record = runRecordOf({ status: 'running', finishedAt: undefined });
    const [, state] = shownOf(record, secondsIn(50)).split('\n');
    expect(state).toMatch(/^Running for 50\.0s\./);
  });

  it('shows that no worker is running', () => {
    const open = runRecordOf({
      status: 'running',
      finishedAt: undefined,
      phases: phasesUpTo('download', 'running'),
    });
    const record = { ...open, plan: undefined, items: undefined, verification: undefined, actions: [] };
    const view = {
      open: true,
      pending: [{ type: 'fetchPackage', attempt: 1, details: { bytes: 1024, total: 2048 } }],
      workers: [],
      notes: ['no worker is running: showing the last recorded state'],
      ui: 'http://127.0.0.1:8233/namespaces/default/workflows/x',
    };
    expect(shownOf(record, secondsIn(50), view)).toBe(
      `RUNNING sync-transport-20261121T011200Z-k7q2
Running for 50.0s, now in download. The target has changed.

what     sync transport
route    staging "Transport" (9f2c..e1) -> production "Transport" (47ab..03)
started  2026-11-21 01:12Z by a.brandt@desk
workers  none running; the run waits for one
package  1.9 GB, sha256 6d1f0a9c6d1f..
note     no worker is running: showing the last recorded state

ok  guard       0.8s    11.2 -> 11.4, 14 items
ok  export      41.2s   14 of 16 items
 >  download    7.0s    1 KB of 2 KB, 50 %
    upload
    preview
    approve
    safeguard
    import
    verify
    cleanup

Warnings
 ?  disk on production  this account cannot read it
                        needed: 10 GB free

watch    portolan run watch k7q2
cancel   portolan run cancel k7q2
ui       http://127.0.0.1:8233/namespaces/default/workflows/x`,
    );
  });
});

describe('lists and guards', () => {
  it('show runs in columns', () => {
    const row = {
      runId: 'sync-r-1',
      kind: 'sync',
      route: 'r',
      startedAt: '2026-11-21T01:12:00.000Z',
      startedBy: 'schedule s',
    } as const;
    expect(
      drawn(
        [
          runTable(
            [
              { ...row, status: 'waiting', phase: 'approve' },
              { ...row, status: 'failed', finishedAt: '2026-11-21T01:13:00.000Z' },
            ],
            { empty: '', whole: true },
          ),
        ],
        { now: secondsIn(30) },
      ),
    ).toBe(
      `RUN       KIND  ROUTE  STATUS   PHASE    STARTED            TOOK   BY
sync-r-1  sync  r      waiting  approve  2026-11-21 01:12Z  30.0s  schedule s
sync-r-1  sync  r      failed            2026-11-21 01:12Z  1m00s  schedule s`,
    );
    expect(drawn([runTable([], { empty: 'No runs yet.' })])).toBe('No runs yet.');
  });

  it('show what a guard saw and needs, and what to do', () => {
    const guards = [
      { name: 'versions', verdict: 'pass', saw: '11.2 -> 11.4' },
      { name: 'disk', verdict: 'unknown', saw: 'not readable', needs: '10 GB free', todo: 'Ask.' },
      {
        name: 'account',
        verdict: 'refuse',
        saw: 'viewer',
        needs: 'the owner',
        todo: 'Sign in.',
        code: 'NOT_OWNER_OR_ADMIN',
      },
    ] as const;
    expect(drawn([guardTable(guards)])).toBe(
      `ok  versions  11.2 -> 11.4
 ?  disk      not readable
              needed: 10 GB free
              fix: Ask.
!!  account   viewer [NOT_OWNER_OR_ADMIN]
              needed: the owner
              fix: Sign in.`,
    );
    expect(guardWords(guards)).toBe('1 passed, 1 unknown, 1 failed');
  });
});
