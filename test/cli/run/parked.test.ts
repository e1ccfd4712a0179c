import { describe, expect, it } from '@jest/globals';
import { PortolanError } from '../../../src/model/errors/errors';
import { queueTable } from '../../../src/cli/queue/commands/list';
import { cancelWords } from '../../../src/cli/run/commands/answers';
import type { showSheet } from '../../../src/cli/run/commands/show';
import { queueWords } from '../../../src/service/portal-queue/queue-words';
import { endingSheet, runTable } from '../../../src/service/run/run-sheet';
import { heldText } from '../../../src/service/run/why-sheet';
import { drawn } from '../../support/drawn';
import { findHolder } from '../../../src/service/run/queues';
import { parkedRecordOf, phasesUpTo, runRecordOf, secondsIn, shownOf, viewOf } from './records';
import { requireParked, requirePlan } from '../../../src/service/run/send-decision';

const record = parkedRecordOf();
const parked = record.parked!;
type Shown = Parameters<typeof showSheet>[0];
const live: Partial<Shown> = { open: true, source: 'run', workers: ['gis-app01'] };
const show = (changes: Parameters<typeof parkedRecordOf>[0] = {}, more: Partial<Shown> = {}) =>
  shownOf(parkedRecordOf(changes), secondsIn(7810), { ...live, ...more });
/** The run as it is asked for a decision. */
const asked = (changes: Partial<Shown> = {}) => viewOf(record, { ...live, ...changes });

/** What a person reads of a refusal. */
function refusalOf(work: () => unknown) {
  try {
    work();
  } catch (thrown) {
    const { code, plainMessage } = PortolanError.from(thrown);
    return `${code} ${plainMessage}`;
  }
  return 'nothing';
}

describe('the sheet of a parked run', () => {
  it('shows why, the target, what is held, and what to type', () => {
    const ui = 'http://127.0.0.1:8233/namespaces/default/workflows/x';
    expect(show({}, { ui })).toBe(
      `PARKED sync-transport-20261121T011200Z-k7q2
Parked in wait-import. Without a decision, it cleans up and fails 2026-11-28 01:16Z. The target is unchanged.

what     sync transport
route    staging "Transport" (9f2c..e1) -> production "Transport" (47ab..03)
started  2026-11-21 01:12Z by a.brandt@desk
workers  gis-app01
package  1.9 GB, sha256 6d1f0a9c6d1f..

Why this run is parked
why      JOB_FAILED production ended the import job as "failed" (permanent, target)
         portal message: "Not enough space."
seen     0 of 11 items on production have changed since the plan
         1 import so far
         disk on production: 6.2 GB free; needed: 10 GB free
fix      Make room on production.
held     on production: package 5be0..77
         in the store: package, 1.9 GB
parked   2026-11-21 01:16Z

What you can do
next     portolan run resume k7q2
         reuses: package in the store, 1.9 GB; uploaded item 5be0..77
         redoes: preview; asks again if the plan changed
         then: approve, import, verify, cleanup
         corrects with --set KEY=VALUE: target.folder, target.folderOwner, overwrite, data, jobDeadline, limits.freeDiskBytes
or       portolan run cancel k7q2
         removes its packages and ends

ok  guard       0.8s    11.2 -> 11.4, 14 items
ok  export      41.2s   14 of 16 items
ok  download    9.1s    1.9 GB, sha256 6d1f..9c
ok  upload      11.4s   1.9 GB, 38 parts
ok  preview     1.3s    14 rows
ok  approve     22.0s   a.brandt@desk
ok  safeguard   8.7s    6 items, 84 MB
 P  import      2m31s   PARKED
    verify
    cleanup

Warnings
 ?  disk on production  this account cannot read it
                        needed: 10 GB free

Activity
TIME               WHO                         ACTION   REASON
2026-11-21 01:12Z  a.brandt@desk (unverified)  start    ticket 12
2026-11-21 01:13Z  a.brandt@desk (unverified)  approve

ui       http://127.0.0.1:8233/namespaces/default/workflows/x`,
    );
  });

  it('names the bisect first if its import failed as a whole', () => {
    const search = 'portolan run retry k7q2 --bisect --yes';
    const commands = [search, ...parked.commands];
    expect(show({ parked: { ...parked, commands } })).toContain(
      `next     ${search}
         ends this run, then bisects the import to find the failing items
or       portolan run resume k7q2
         reuses: package`,
    );
    expect(drawn(endingSheet(parkedRecordOf({ parked: { ...parked, commands } })))).toContain(
      `bisect   ${search}\nresume   portolan run resume k7q2\n`,
    );
  });

  it('counts parkings and refused resume attempts', () => {
    const page = show({ parked: { ...parked, count: 2, refusals: 1, held: [], reuses: [] } });
    expect(page).toContain('parked   2026-11-21 01:16Z, 2 times so far, 1 resume attempt refused since\n');
    expect(page).toContain('held     nothing\n');
    expect(page).toContain('reuses: nothing\n');
  });

  it('names its schedule and the run that it repeats', () => {
    const page = show({ scheduledBy: 'nightly', parent: 'sync-transport-20261120T011200Z-m3xz' });
    expect(page).toContain(
      'started  2026-11-21 01:12Z by a.brandt@desk for schedule nightly\nrepeats  sync-transport-20261120',
    );
  });
});

it('the ending of a parked run shows why the run waits, and what to type', () => {
  expect(drawn(endingSheet(record))).toBe(
    `PARKED after 4m10s. Waiting for a decision in wait-import. Target: unchanged. Exit status 4.
why      JOB_FAILED production ended the import job as "failed" (permanent, target)
         portal message: "Not enough space."
seen     0 of 11 items on production have changed since the plan
         1 import so far
         disk on production: 6.2 GB free; needed: 10 GB free
fix      Make room on production.
held     on production: package 5be0..77
         in the store: package, 1.9 GB
parked   2026-11-21 01:16Z

details  portolan run show k7q2
resume   portolan run resume k7q2
cancel   portolan run cancel k7q2`,
  );
});

describe('a decision', () => {
  it('is refused for a run that does not wait for it', () => {
    const over = asked({ record: runRecordOf(), open: false });
    const running = runRecordOf({ status: 'running', phases: phasesUpTo('import', 'running') });
    expect(refusalOf(() => requireParked(asked()))).toBe('nothing');
    expect(refusalOf(() => requireParked(over))).toBe(
      `USAGE ${record.runId} has ended (partial) and is not parked.`,
    );
    expect(refusalOf(() => requireParked(asked({ record: running })))).toBe(
      `USAGE ${record.runId} is running and is not parked.`,
    );
    expect(refusalOf(() => requirePlan(over))).toBe(
      `USAGE ${record.runId} has ended; it accepts no decisions.`,
    );
    expect(refusalOf(() => requirePlan(asked({ record: running, source: 'record' })))).toBe(
      `USAGE ${record.runId} is running and does not wait for approval.`,
    );
    const waiting = asked({ record: runRecordOf({ status: 'waiting' }), source: 'record' });
    expect(refusalOf(() => requirePlan(waiting, '0000'))).toBe(
      `USAGE ${record.runId} waits with plan b41c-77e0-19aa, not 0000.`,
    );
    expect(refusalOf(() => requirePlan(waiting, 'b41c-77e0-19aa'))).toBe('nothing');
  });

  it('is refused for a parked run that is about to end', () => {
    const ending = asked({ record: parkedRecordOf({ parked: undefined }) });
    expect(refusalOf(() => requireParked(ending))).toBe(
      `USAGE ${record.runId} is about to end and is not parked any more.`,
    );
  });

  it('is sent to a parked run whose reason is unknown', () => {
    const unseen = asked({ record: parkedRecordOf({ parked: undefined }), source: 'start' });
    expect(refusalOf(() => requireParked(unseen))).toBe('nothing');
  });
});

describe('a cancellation', () => {
  const running = (phase: 'download' | 'wait-import') =>
    runRecordOf({ status: 'running', phases: phasesUpTo(phase, 'running') });

  it('names what the run still finishes and removes', () => {
    const taken = { now: false };
    expect(cancelWords(running('download'), taken)).toBe('it removes its packages first');
    expect(cancelWords(running('wait-import'), taken)).toBe(
      'the import on production cannot be stopped; the run waits for it to finish, then removes its packages',
    );
    expect(cancelWords(running('wait-import'), { now: true })).toBe(
      'the import on production continues on the portal, so its package is kept; the run record lists it',
    );
    expect(cancelWords(record, { now: true })).toBe(
      'it removes its packages from staging and production; items on the target stay unchanged',
    );
  });

  it('waits for a job that may still run behind a parked run', () => {
    const held = ['portal-queue/portolan/production/import, since a job may still run on the portal'];
    expect(held.map(heldText)).toEqual([
      'slot in production/import, since a job may still run on the portal',
    ]);
    expect(cancelWords(parkedRecordOf({ parked: { ...parked, held } }), { now: false })).toMatch(
      /^the import on production cannot be stopped/,
    );
  });
});

const portalQueue = {
  taskQueue: 'portolan',
  portal: 'production',
  direction: 'import',
  slots: 1,
  holders: [{ runId: 'sync-roads-m3xz', since: '2026-11-21T01:12:00.000Z' }],
  waiting: ['sync-a-k7q2', 'sync-b-k7q3'],
} as const;
const idle = {
  taskQueue: 'portolan',
  portal: 'staging',
  direction: 'export',
  slots: 2,
  holders: [],
  waiting: [],
} as const;

describe('portal queues', () => {
  it('list the runs that hold a slot, since when, and those that wait', () => {
    expect(drawn([queueTable([idle, portalQueue])], { now: secondsIn(61) })).toBe(
      `QUEUE              SLOTS        RUN              STATUS             SINCE
staging/export     2 of 2 free
production/import  0 of 1 free  sync-roads-m3xz  holds a slot       2026-11-21 01:12Z, 1m01s ago
                                sync-a-k7q2      waiting, number 1
                                sync-b-k7q3      waiting, number 2`,
    );
  });

  it('are shown with a run that waits in one', () => {
    const queue = { id: 'portal-queue/portolan/production/import', position: 2 };
    const open = runRecordOf({ status: 'running', phases: phasesUpTo('import', 'running'), queue });
    expect(queueWords(queue)).toBe('number 2 in the portal queue production/import');
    expect(queueWords({ id: 'portal-queue/portolan/production/import' })).toBe(
      'in the portal queue production/import',
    );
    expect(shownOf(open, secondsIn(61), { ...live, portalQueue })).toContain(
      '\nqueue    number 2 in the portal queue production/import, slots held by sync-roads-m3xz for 1m01s\n',
    );
    const row = {
      runId: 'sync-b-k7q3',
      kind: 'sync',
      route: 'b',
      status: 'running',
      phase: 'import',
    } as const;
    expect(
      drawn([runTable([{ ...row, startedAt: open.startedAt, queue }], { empty: '' })], {
        now: secondsIn(61),
      }),
    ).toContain('running  import, number 2 in the portal queue production/import  2026-11-21 01:12Z  1m01s');
  });

  it('are released only from a run that holds a slot', () => {
    const { holders } = portalQueue;
    expect(findHolder('production/import', portalQueue, 'm3xz')).toBe(holders[0]);
    expect(refusalOf(() => findHolder('production/import', portalQueue, 'k7q2'))).toBe(
      'RUN_NOT_FOUND No run "k7q2" holds a slot of production/import. Those that do:\n  sync-roads-m3xz',
    );
    expect(refusalOf(() => findHolder('production/import', undefined, 'k7q2'))).toBe(
      'RUN_NOT_FOUND No run "k7q2" holds a slot of production/import. No run does.',
    );
    const two = { ...portalQueue, holders: [...holders, { runId: 'sync-a-m3xz', since: holders[0].since }] };
    expect(refusalOf(() => findHolder('production/import', two, 'm3xz'))).toBe(
      'USAGE "m3xz" matches several runs:\n  sync-roads-m3xz\n  sync-a-m3xz',
    );
  });
});
