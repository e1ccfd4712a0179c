import { showSheet } from '../../../src/cli/run/commands/show';
import type { PhaseName } from '../../../src/model/run/phase';
import type { Plan, PlanRow } from '../../../src/model/transfer/plan';
import type { PhaseRecord, RunRecord } from '../../../src/model/run/run';
import { drawn } from '../../support/drawn';

const minute = Date.parse('2026-11-21T01:12:00.000Z');
const at = (seconds: number) => new Date(minute + seconds * 1000).toISOString();

/** Phases of a run that went through: name, start, end and what came of it. */
const walked: readonly (readonly [PhaseName, number, number, string])[] = [
  ['guard', 0, 0.8, '11.2 -> 11.4, 14 items'],
  ['export', 1, 2, 'job a81c..'],
  ['wait-export', 2, 42.2, '14 of 16 items'],
  ['download', 43, 52.1, '1.9 GB, sha256 6d1f..9c'],
  ['upload', 53, 64.4, '1.9 GB, 38 parts'],
  ['preview', 65, 66.3, '14 rows'],
  ['approve', 67, 89, 'a.brandt@desk'],
  ['safeguard', 89, 97.7, '6 items, 84 MB'],
  ['import', 98, 99, 'job 77b0..'],
  ['wait-import', 99, 249, '11 imported'],
  ['verify', 249, 255.2, '11 items'],
  ['cleanup', 255.2, 256.1, 'nothing of ours left'],
];

/** Phases up to one, which is in the given state; those after it are still to come. */
export function phasesUpTo(last: PhaseName, status: PhaseRecord['status'] = 'done'): PhaseRecord[] {
  const end = walked.findIndex(([name]) => name === last);
  return walked.map(([name, from, to, detail], index) => {
    if (index > end) return { name, status: 'pending', attempts: 0 };
    const open = index === end && (status === 'running' || status === 'waiting');
    return {
      name,
      status: index === end ? status : 'done',
      attempts: 1,
      startedAt: at(from),
      finishedAt: open ? undefined : at(to),
      detail: open ? undefined : detail,
    };
  });
}

/** Milliseconds of so many seconds after the run started. */
export const secondsIn = (seconds: number) => minute + seconds * 1000;

/** A run that ended `partial`; every field can be replaced. */
export const runRecordOf = (changes: Partial<RunRecord> = {}): RunRecord => ({
  runId: 'sync-transport-20261121T011200Z-k7q2',
  kind: 'sync',
  status: 'partial',
  target: 'changed',
  route: {
    name: 'transport',
    source: {
      portal: 'staging',
      url: 'https://staging.example.com/portal/sharing/rest',
      groupId: '9f2c4b7de1a84c0fb3d1a6c25e7f90e1',
      groupTitle: 'Transport',
    },
    target: {
      portal: 'production',
      url: 'https://production.example.com/portal/sharing/rest',
      groupId: '47ab0c9d52e64f6c8b1e7a3d9c604503',
      groupTitle: 'Transport',
    },
  },
  temporal: { workflowId: 'sync-transport-20261121T011200Z-k7q2', runId: 'f00d' },
  startedAt: at(0),
  finishedAt: at(256.1),
  startedBy: 'a.brandt@desk',
  phases: phasesUpTo('cleanup'),
  guards: [
    { name: 'version order', verdict: 'pass', saw: '11.2 -> 11.4' },
    {
      name: 'disk on production',
      verdict: 'unknown',
      saw: 'this account cannot read it',
      needs: '10 GB free',
    },
  ],
  package: { sizeBytes: 2_040_109_466, sha256: '6d1f0a9c'.repeat(8), parts: 1, itemCount: 14 },
  plan: {
    create: 5,
    overwrite: 6,
    keep: 2,
    blocked: 1,
    extra: 3,
    hash: 'b41c-77e0-19aa',
    sha256: `b41c77e019aa${'0'.repeat(52)}`,
    ref: 'runs/x/plan-1.json',
  },
  items: {
    imported: { count: 311, ref: 'runs/x/ledger.json' },
    kept: [{ itemId: 'k1', type: 'Feature Service', title: 'Rivers', reason: 'exists' }],
    blocked: [
      {
        itemId: '31d0aaaaaaaaaaaaaaaaaaaaaaaaaa5a',
        type: 'Web Map',
        title: 'Bridges',
        reason: 'belongs to m.lee',
      },
    ],
    skipped: [],
    failed: [],
    unaccounted: [],
  },
  verification: {
    checked: 311,
    references: 57,
    features: 214310,
    notChecked: [{ itemId: 'n1', path: 'item.url', reason: 'the layer gave no count' }],
    external: [],
    findings: [
      {
        itemId: '31d0aaaaaaaaaaaaaaaaaaaaaaaaaa5a',
        title: 'Road closures',
        kind: 'source-address',
        path: 'data.operationalLayers[3].url',
        value: 'https://gis-stg.example.com/server/rest/services/Closures/MapServer',
        hint: "a map service on staging's own server: not hosted, so never exported",
      },
    ],
  },
  actions: [
    { at: at(0), who: 'a.brandt@desk', what: 'start' },
    { at: at(89), who: 'a.brandt@desk', what: 'approve', reason: 'looks right' },
  ],
  warnings: ['disk on production: this account cannot read it'],
  leftRunning: [],
  ...changes,
});

type Shown = Parameters<typeof showSheet>[0];

/** What the store tells of a run; more or other things can be known. */
export const viewOf = (record: RunRecord, more: Partial<Shown> = {}): Shown => ({
  record,
  open: false,
  source: 'record',
  pending: [],
  notes: [],
  ...more,
});

/** What `run show` prints of it so many milliseconds after the epoch. */
export const shownOf = (record: RunRecord, now?: number, more?: Partial<Shown>) =>
  drawn(showSheet(viewOf(record, more)), { now });

/** The same run, parked when its import had failed. */
export const parkedRecordOf = (changes: Partial<RunRecord> = {}): RunRecord =>
  runRecordOf({
    status: 'parked',
    target: 'untouched',
    finishedAt: undefined,
    phases: phasesUpTo('wait-import', 'parked'),
    items: undefined,
    verification: undefined,
    actions: [
      { at: at(0), who: 'a.brandt@desk', identity: 'claimed', what: 'start', reason: 'ticket 12' },
      { at: at(89), who: 'a.brandt@desk', identity: 'claimed', what: 'approve' },
    ],
    error: {
      origin: 'target',
      kind: 'permanent',
      code: 'JOB_FAILED',
      message: `production ended the import job as "failed"; portal message: "Not enough space."`,
      hint: 'Make room on production.',
    },
    parked: {
      phase: 'wait-import',
      at: at(250),
      until: at(250 + 7 * 86_400),
      count: 1,
      code: 'JOB_FAILED',
      reason: `production ended the import job as "failed"; portal message: "Not enough space."`,
      evidence: [
        '0 of 11 items on production have changed since the plan',
        '1 import so far',
        'disk on production: 6.2 GB free; needed: 10 GB free',
      ],
      held: ['on production: package 5be0..77', 'in the store: package, 1.9 GB'],
      reuses: ['package in the store, 1.9 GB', 'uploaded item 5be0..77'],
      redoes: ['preview; asks again if the plan changed', 'approve', 'import', 'verify', 'cleanup'],
      commands: ['portolan run resume k7q2', 'portolan run cancel k7q2'],
      refusals: 0,
    },
    ...changes,
  });

const rowsOf = (
  action: PlanRow['action'],
  type: string,
  ids: readonly string[],
  more: Partial<PlanRow> = {},
): PlanRow[] => ids.map((itemId) => ({ itemId, type, title: itemId, action, ...more }));

/** The rows behind the figures of `runRecordOf().plan`, those that a reader sees spelled out. */
export const planOf = (): Plan => ({
  hash: 'b41c-77e0-19aa',
  sha256: `b41c77e019aa${'0'.repeat(52)}`,
  targetGroupId: '47ab0c9d52e64f6c8b1e7a3d9c604503',
  packages: [{ sha256: 'aa', itemId: 'p' }],
  arrivedLater: 0,
  readAt: at(66),
  rows: [
    ...rowsOf('create', 'CSV', ['c1', 'c2', 'c3']),
    ...rowsOf('create', 'PDF', ['c4', 'c5'], { size: 3_500_000 }),
    ...rowsOf('overwrite', 'Web Map', ['o1', 'o2', 'o3', 'o4', 'o5']),
    ...rowsOf('overwrite', 'StoryMap', ['o6'], {
      title: 'Road \u001b[31mclosures',
      target: { changedSince: Date.parse('2026-11-20T16:02:00Z') },
    }),
    ...rowsOf('keep', 'Feature Service', ['k1', 'k2'], {
      size: -1,
      reason: 'exists; its data is kept (data: keep)',
    }),
    ...rowsOf('blocked', 'Web Map', ['b1'], {
      title: 'Bridges',
      reason: 'belongs to m.lee, outside the target group',
    }),
    ...rowsOf('extra', 'CSV', ['e1', 'e2', 'e3']),
  ],
});
