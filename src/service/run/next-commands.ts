import { hasImportFailed } from '../../model/run/import-failed';
import type { RunKind, RunRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import { createdCounts } from '../../model/run/run-state';
import { portalsOf } from '../../model/text/words';
import { entriesOf, lengthOf } from './run-view';

export const lookAt = (runId: string): string => `See what it did: portolan run show ${shortRunId(runId)}`;

/** What can be typed next, most likely first. Only commands that do something for a run in this state. */
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
        ['look', `portolan run show ${run} --plan`],
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

/** What removes the rest of what an undone run had created, where nothing but that is left of it. */
function createdCommands({ status, kind, parent, created }: RunRecord): [string, string][] {
  if (kind !== 'rollback' || status !== 'nothing-to-do' || parent === undefined || !created) return [];
  return createdCounts(created).there > 0
    ? [['remove', `portolan run rollback ${shortRunId(parent)} --delete-created`]]
    : [];
}

/** What puts a portal back as it was before a change. */
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
    return [['undo', `portolan ${kind} apply ${route.name} --saved ${shortRunId(runId)}`]];
  // A schema that was not there before is taken away again by its own command.
  return kind === 'category-schema' && operation === 'apply'
    ? [['undo', `portolan category-schema delete ${route.name}`]]
    : [];
}

/** What takes over the package that is still in the store. */
function againCommands(record: RunRecord): [string, string][] {
  const { status, kind, items, route, package: kept } = record;
  if (ofSnapshots.has(kind))
    return status === 'failed' || status === 'partial' ? [['again', beginAgain(record)]] : [];
  if (kind === 'bisect') return afterSearch(record);
  const run = shortRunId(record.runId);
  const open = lengthOf(items?.failed) + lengthOf(items?.notImported) + lengthOf(items?.unaccounted);
  if (open > 0 && status === 'partial') return [['retry', `portolan run retry ${run}`]];
  if (kind === 'sync' && route.name !== adhoc && hasEarlierFindings(record))
    return [['recheck', `portolan sync ${route.name} --full`]];
  if (kind !== 'sync' || kept === undefined) return [];
  const search: [string, string][] =
    hasImportFailed(record) && open > 1 ? [['search', `portolan run retry ${run} --bisect`]] : [];
  return status === 'failed' ? [...search, ['restart', `portolan run restart ${run} --from upload`]] : search;
}

/** Findings of items that nobody has touched since: a run that brings everything looks at them again. */
const hasEarlierFindings = ({ verification }: RunRecord): boolean =>
  entriesOf(verification?.findings ?? []).some(({ foundBy }) => foundBy !== undefined);

/** So many ids at most stand in a command that is named. */
const NAMED_ITEMS = 10;

/** A search knows which items fail, so that a retry of these would fail again; what it did not try can be searched. */
function afterSearch({ runId, items, route, error }: RunRecord): [string, string][] {
  const failing = entriesOf(items?.failed ?? []).map(({ itemId }) => itemId);
  const untried = lengthOf(items?.notImported) + lengthOf(items?.unaccounted);
  const named = route.name !== adhoc;
  // The fault is the portal's, and not in single items.
  if (error?.code === 'JOB_FAILED') return named ? [['check', `portolan doctor ${route.name}`]] : [];
  return [
    ...(untried > 0
      ? [['search', `portolan run retry ${shortRunId(runId)} --bisect`] as [string, string]]
      : []),
    ...(named && failing.length > 0 && failing.length <= NAMED_ITEMS
      ? [['without', `portolan sync ${route.name} --exclude ${failing.join(',')}`] as [string, string]]
      : []),
  ];
}

/** What a command does, in its own word: `resume` of `portolan run resume k7q2`. */
const wordOf = (command: string): string =>
  command.includes(' --bisect') ? 'search' : (command.split(' ')[2] ?? 'type');

/** Packages that the cleanup could not remove are removed by hand. */
function cleanCommands({ phases, route }: RunRecord): [string, string][] {
  const cleanup = phases.find(({ name }) => name === 'cleanup');
  if (cleanup?.status !== 'failed') return [];
  return portalsOf(route)
    .filter((portal) => cleanup.detail?.includes(`${portal}: `) ?? true)
    .map((portal) => ['clean', `portolan clean ${portal} --yes`]);
}

/** What can be typed next about a run's snapshot. */
function snapshotCommands(record: RunRecord): [string, string][] {
  const { kind, snapshot, safeguard, target, runId, release } = record;
  if (release?.sha256 !== undefined) return [['look', `portolan release show ${release.id}`]];
  if (kind === 'backup' && snapshot !== undefined) {
    const id = shortRunId(snapshot.id);
    return [
      ['look', `portolan snapshot show ${id}`],
      ['restore', `portolan restore ${id} --to PORTAL --into GROUP`],
    ];
  }
  const hasSaved = safeguard !== undefined || (kind === 'sync' && snapshot !== undefined);
  return hasSaved && target !== 'untouched' ? [['undo', `portolan run rollback ${shortRunId(runId)}`]] : [];
}

/** Kinds that are made of snapshots, or make them: they are begun again as a whole, and not taken up in parts. */
export const ofSnapshots: ReadonlySet<RunKind> = new Set([
  'backup',
  'restore',
  'rollback',
  'drill',
  'release',
  'promotion',
]);

/** The command that begins a run again with all that it was asked. */
export const beginAgain = ({ runId }: RunRecord): string =>
  `portolan run restart ${shortRunId(runId)} --from guard`;

/** What a run without a route is called. */
const adhoc = 'adhoc';
