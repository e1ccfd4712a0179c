import { hasImportFailed, createdCounts } from '../../model/run/run-state';
import type { RunKind, RunRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import { portalsOf } from '../../model/text/words';
import { entriesOf, lengthOf } from './run-view';

export const lookAt = (runId: string): string => `See: portolan run show ${shortRunId(runId)}`;

/** The next commands, most likely first; only those that work for a run in this state. */
export function nextCommands(record: RunRecord): (readonly [string, string])[] {
  const run = shortRunId(record.runId);
  switch (record.status) {
    case 'running':
      return [
        ['watch', `portolan run watch ${run}`],
        ['cancel', `portolan run cancel ${run}`],
      ];
    case 'waiting': {
      const hash = record.plan === undefined ? '' : ` --plan ${record.plan.hash}`;
      return [
        ['plan', `portolan run show ${run} --plan`],
        ['approve', `portolan run approve ${run}${hash}`],
        ['reject', `portolan run reject ${run}`],
      ];
    }
    case 'parked': {
      const commands = record.parked?.commands ?? [
        `portolan run resume ${run}`,
        `portolan run cancel ${run}`,
      ];
      return [
        ['details', `portolan run show ${run}`],
        ...commands.map((command) => [wordOf(command), command] as const),
      ];
    }
    case 'succeeded':
    case 'partial':
    case 'failed':
    case 'cancelled':
    case 'nothing-to-do':
      return [
        ...cleanCommands(record),
        ...createdCommands(record),
        ...againCommands(record),
        ...snapshotCommands(record),
        ...changeCommands(record),
        ['details', `portolan run show ${run}`],
      ];
  }
}

/** Removes the created items that a rollback left, if it had nothing else to do. */
function createdCommands({ status, kind, parent, created }: RunRecord): [string, string][] {
  if (kind !== 'rollback' || status !== 'nothing-to-do' || parent === undefined || !created) return [];
  return createdCounts(created).there > 0
    ? [['remove', `portolan run rollback ${shortRunId(parent)} --delete-created`]]
    : [];
}

/** Restores a portal to its state before a change. */
function changeCommands({
  runId,
  status,
  target,
  kind,
  operation,
  route,
  saved,
}: RunRecord): [string, string][] {
  if (operation === undefined || kind === 'task-run') return [];
  if (status === 'nothing-to-do' || target === 'untouched') return [];
  if (saved !== undefined)
    return [['rollback', `portolan ${kind} apply ${route.name} --saved ${shortRunId(runId)}`]];
  // A schema that did not exist before is deleted by its own command.
  return kind === 'category-schema' && operation === 'apply'
    ? [['rollback', `portolan category-schema delete ${route.name}`]]
    : [];
}

/** Commands that reuse the package in the store. */
function againCommands(record: RunRecord): [string, string][] {
  const { status, kind, items, route, package: kept } = record;
  if (ofSnapshots.has(kind))
    return status === 'failed' || status === 'partial' ? [['restart', beginAgain(record)]] : [];
  if (kind === 'bisect') return afterSearch(record);
  const run = shortRunId(record.runId);
  const open = lengthOf(items?.failed) + lengthOf(items?.notImported) + lengthOf(items?.unaccounted);
  if (open > 0 && status === 'partial') return [['retry', `portolan run retry ${run}`]];
  if (kind === 'sync' && route.name !== adhoc && hasEarlierFindings(record))
    return [['recheck', `portolan sync ${route.name} --full`]];
  if (kind !== 'sync' || kept === undefined) return [];
  const search: [string, string][] =
    hasImportFailed(record) && open > 1 ? [['bisect', `portolan run retry ${run} --bisect`]] : [];
  return status === 'failed' ? [...search, ['restart', `portolan run restart ${run} --from upload`]] : search;
}

/** Findings of unchanged items: only a full sync checks them again. */
const hasEarlierFindings = ({ verification }: RunRecord): boolean =>
  entriesOf(verification?.findings ?? []).some(({ foundBy }) => foundBy !== undefined);

/** At most this many ids are put into a command. */
const NAMED_ITEMS = 10;

/** After a bisect the failing items are known and would fail again; items it did not try can be bisected. */
function afterSearch({ runId, items, route, error }: RunRecord): [string, string][] {
  const failing = entriesOf(items?.failed ?? []).map(({ itemId }) => itemId);
  const untried = lengthOf(items?.notImported) + lengthOf(items?.unaccounted);
  const named = route.name !== adhoc;
  // The portal failed, not single items.
  if (error?.code === 'JOB_FAILED') return named ? [['check', `portolan doctor ${route.name}`]] : [];
  return [
    ...(untried > 0
      ? [['bisect', `portolan run retry ${shortRunId(runId)} --bisect`] as [string, string]]
      : []),
    ...(named && failing.length > 0 && failing.length <= NAMED_ITEMS
      ? [['exclude', `portolan sync ${route.name} --exclude ${failing.join(',')}`] as [string, string]]
      : []),
  ];
}

/** The verb of a command: `resume` of `portolan run resume k7q2`. */
const wordOf = (command: string): string =>
  command.includes(' --bisect') ? 'bisect' : (command.split(' ')[2] ?? 'type');

/** Removes the packages that the cleanup could not remove. */
function cleanCommands({ phases, route }: RunRecord): [string, string][] {
  const cleanup = phases.find(({ name }) => name === 'cleanup');
  if (cleanup?.status !== 'failed') return [];
  return portalsOf(route)
    .filter((portal) => cleanup.detail?.includes(`${portal}: `) ?? true)
    .map((portal) => ['clean', `portolan clean ${portal} --yes`]);
}

/** The next commands about a run's snapshot. */
function snapshotCommands(record: RunRecord): [string, string][] {
  const { kind, snapshot, safeguard, target, runId, release } = record;
  if (release?.sha256 !== undefined) return [['release', `portolan release show ${release.id}`]];
  if (kind === 'backup' && snapshot !== undefined) {
    const id = shortRunId(snapshot.id);
    return [
      ['snapshot', `portolan snapshot show ${id}`],
      ['restore', `portolan restore ${id} --to PORTAL --into GROUP`],
    ];
  }
  const hasSaved = safeguard !== undefined || (kind === 'sync' && snapshot !== undefined);
  return hasSaved && target !== 'untouched'
    ? [['rollback', `portolan run rollback ${shortRunId(runId)}`]]
    : [];
}

/** Kinds that use or create snapshots: these are restarted as a whole. */
export const ofSnapshots: ReadonlySet<RunKind> = new Set([
  'backup',
  'restore',
  'rollback',
  'drill',
  'release',
  'promotion',
  'protect',
]);

/** The command that restarts a run with the same options. */
export const beginAgain = ({ runId }: RunRecord): string =>
  `portolan run restart ${shortRunId(runId)} --from guard`;

/** The route name of a run without a route. */
const adhoc = 'adhoc';
