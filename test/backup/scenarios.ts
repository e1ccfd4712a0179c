import type { RunRecord } from '../../src/model/run/run';
import { emptyGroupId } from '../../src/simulator/seed/seeds';
import type { Snapshots } from '../../src/domain/snapshot/snapshots';
import type { Moment } from '../chaos/moments';
import { leftOn, type Seen } from '../chaos/promises';
import type { Site } from '../chaos/site';
import type { Scenario } from '../chaos/trial';
import { idsOf, Lookout } from './listed';

/** A scenario with what is known before it, and looked at after it. */
interface Told<Before> {
  /** Makes everything so that the run can begin, and says what was there. */
  readonly before: (site: Site) => Promise<Before>;
  readonly begin: (site: Site, before: Before, moment: Moment) => Promise<string>;
  /** What is not so, a sentence each. */
  readonly after: (site: Site, record: RunRecord, before: Before, seen: Seen) => Promise<string[]>;
  /** It ended because it cannot be known whether its import was heard, and says so. @default never */
  readonly mayBeUndecided?: (record: RunRecord) => boolean;
  /** Snapshots that there must be. */
  readonly desired: (listed: readonly string[], record: RunRecord) => readonly string[];
}

/** What holds for each kind: it ends well, no half snapshot is ever listed, and nothing of ours stays anywhere. */
function scenario<Before>(snapshots: Snapshots, told: Told<Before>): Scenario {
  let before: Before;
  let listed: string[] = [];
  let lookout: Lookout | undefined;
  return {
    async prepare(site) {
      before = await told.before(site);
      listed = await idsOf(snapshots);
    },
    async begin(site, moment) {
      lookout = new Lookout(snapshots);
      return await told.begin(site, before, moment);
    },
    async problemsOf(site, record, seen) {
      const problems = (await lookout?.end()) ?? [];
      const there = await idsOf(snapshots);
      const desired = [...told.desired(listed, record)].sort();
      const isMissing = desired.filter((id) => !there.includes(id));
      const isTooMuch = there.filter((id) => !desired.includes(id));
      if (isMissing.length > 0) problems.push(`misses the snapshots ${isMissing.join(', ')}`);
      if (isTooMuch.length > 0) problems.push(`has the snapshots ${isTooMuch.join(', ')} besides`);
      problems.push(...(await told.after(site, record, before, seen)), ...(await leftOn(site)));
      if (told.mayBeUndecided?.(record)) return problems;
      if (record.leftRunning.length > 0) problems.push(`left running: ${record.leftRunning.join('; ')}`);
      // The account of these routes is no administrator, and may not read disk figures.
      const warnings = record.warnings.filter((warning) => !warning.startsWith('disk on '));
      if (warnings.length > 0) problems.push(`warns: ${warnings.join('; ')}`);
      return problems;
    },
  };
}

const ended = (record: RunRecord, status: RunRecord['status'], target: RunRecord['target']): string[] =>
  record.status === status && record.target === target
    ? []
    : [
        `ended ${record.status}, target ${record.target}: ${record.error?.code ?? ''} ${record.error?.message ?? record.parked?.reason ?? ''}`,
      ];

/** At most one import was posted, and one more for each time that a person said so. */
const imports = ({ mark, importsBefore }: Seen, most = 1): string[] =>
  mark.imports() <= most + importsBefore.length
    ? []
    : [`posted ${mark.imports()} imports with ${importsBefore.length} resumes`];

function same(what: string, before: readonly string[], after: readonly string[]): string[] {
  const gone = before.filter((line) => !after.includes(line));
  const more = after.filter((line) => !before.includes(line));
  return [
    ...gone.map((line) => `${what} is without ${line}`),
    ...more.map((line) => `${what} has ${line} besides`),
  ];
}

export const aBackup = (snapshots: Snapshots): Scenario =>
  scenario(snapshots, {
    before: () => Promise.resolve(undefined),
    begin: (site) => site.start('backup', 'create', 'free'),
    after: (_, record, __, seen) =>
      Promise.resolve([
        ...ended(record, 'succeeded', 'untouched'),
        ...imports(seen, 0),
        ...(record.snapshot?.id === record.runId ? [] : [`names the snapshot ${record.snapshot?.id}`]),
      ]),
    desired: (listed, { runId }) => [...listed, runId],
  });

/** By the schedule `nights`, whose route keeps one. @param mayFail the next night is the answer */
export const aNight = (snapshots: Snapshots, mayFail: boolean): Scenario =>
  scenario(snapshots, {
    before: () => Promise.resolve(undefined),
    async begin(site) {
      const { runId } = JSON.parse(await site.type('schedule', 'trigger', 'nights', '-o', 'json')) as {
        runId: string;
      };
      return runId;
    },
    after: (_, record, __, seen) =>
      Promise.resolve([
        ...(mayFail && record.status === 'failed' && record.error?.code === 'EXPORT_UNDECIDED'
          ? []
          : ended(record, 'succeeded', 'untouched')),
        ...(seen.importsBefore.length > 0 ? ['was parked'] : []),
      ]),
    desired: (listed, { runId, status }) => (status === 'failed' ? listed : [runId]),
  });

/** Of a snapshot that was taken before, over what is on the target. */
export const aRestore = (snapshots: Snapshots, snapshotId: string, holds: readonly string[]): Scenario =>
  scenario(snapshots, {
    before: () => Promise.resolve(undefined),
    begin: (site, _, { at }) =>
      site.start(
        ...['restore', snapshotId, '--to', 'production', '--into', emptyGroupId, '--overwrite'],
        ...('waits' in at ? [] : ['--yes']),
      ),
    after: async (site, record, _, seen) => [
      ...ended(record, 'succeeded', 'changed'),
      ...imports(seen),
      ...same('the target', holds, await site.target.contents()),
    ],
    desired: (listed, { safeguard }) => [...listed, safeguard?.id ?? 'no safeguard'],
  });

/** Of a sync that overwrote an item and created one; what it created goes too. */
export const aRollback = (snapshots: Snapshots, itemId: string): Scenario =>
  scenario(snapshots, {
    async before(site) {
      if ((await site.target.contents()).some((line) => line.startsWith(itemId)))
        await site.target.drop(itemId);
      const contents = await site.target.contents();
      await site.mark();
      const { runId } = await site.follow('sync', 'free');
      return { contents, runId };
    },
    begin: (site, { runId }, { at }) =>
      site.start(
        ...['run', 'rollback', runId, '--delete-created', '--yes-delete', 'production'],
        ...('waits' in at ? [] : ['--yes']),
      ),
    after: async (site, record, { contents }, seen) => [
      ...ended(record, 'succeeded', 'changed'),
      ...imports(seen),
      ...same('the target', contents, await site.target.contents()),
    ],
    desired: (listed, { safeguard }) => [...listed, safeguard?.id ?? 'no safeguard'],
  });

/** A drill waits for nobody: where nobody knows whether its import was heard it ends so, and the next one begins anew. */
export const aDrill = (snapshots: Snapshots, more: readonly '--import'[]): Scenario => {
  const isUndecided = ({ status, error }: RunRecord): boolean =>
    more.length > 0 && status === 'failed' && error?.code === 'IMPORT_UNDECIDED';
  return scenario(snapshots, {
    before: itemsOnTarget,
    begin: (site) => site.start('backup', 'drill', 'free', ...more),
    after: async (site, record, before, seen) => [
      ...(isUndecided(record) ? [] : ended(record, 'succeeded', 'untouched')),
      ...imports(seen, more.length),
      ...(isUndecided(record) || record.proof === (more.length > 0 ? 'imported' : 'previewed')
        ? []
        : [`proves ${record.proof}`]),
      ...same('the portal', before, await itemsOnTarget(site)),
    ],
    mayBeUndecided: isUndecided,
    desired: (listed) => listed,
  });
};

/** A folder that an import has made stays: a drill takes away what is on its list. */
const itemsOnTarget = async (site: Site): Promise<string[]> =>
  (await site.target.contents()).filter((line) => !line.startsWith('folder '));
