import { allSchedules } from '../../config/resolve-rule';
import type { RunRow } from '../../contract/run-row';
import { type statusOperations, type StatusView, unableCodes } from '../../contract/status';
import { Policy } from '../../domain/policy/policy';
import { groupStates, type NotedRule, readRules } from '../../domain/protect/rule-state';
import { openSnapshots } from '../../domain/snapshot/snapshots';
import { maxAgesOf, type RouteState, statesOfRoutes } from '../../domain/snapshot/retention/route-state';
import { PortolanError } from '../../model/errors/errors';
import type { RunStatus } from '../../model/run/phase';
import { wholeOfPart } from '../../model/run/run-id';
import { type PollingWorker, pollingWorkers } from '../../temporal/task-queue';
import { type WorkerSources, compareWorkers } from '../run/compatible-workers';
import { endedAs } from '../run/lookup/ended-as';
import { endedIndexed } from '../run/lookup/indexed-runs';
import { runPage, withQueues } from '../run/run-rows';
import type { ReadContext } from '../run/run-sources';
import type { Handlers } from '../context';
import { scheduleRows } from '../schedule/schedule-rows';

/** Number of next starts shown, over all schedules. */
const NEXT_SHOWN = 3;

/** Age after which a failed run no longer needs attention. */
const LATELY_MS = 24 * 3_600_000;

/** Failed runs shown; the list of runs has all. */
const FAILED_MAX = 100;

/** Reads the status. What cannot be checked becomes a note, not an error. */
export async function readStatus(sources: ReadContext): Promise<StatusView> {
  const { config, temporal } = sources;
  const notes: string[] = [];
  const orNoted = <T>(what: string, looked: Promise<T>, otherwise: T): Promise<T> =>
    looked.catch((thrown: unknown) => {
      notes.push(`${what}: ${PortolanError.from(thrown).plainMessage}`);
      return otherwise;
    });
  const [open, failed, { routes: backups, rules }, frozen, workers, schedules] = await Promise.all([
    orNoted('runs', openRows(sources), []),
    temporal ? orNoted('ended runs', failedLately({ ...sources, temporal }), []) : [],
    orNoted('snapshots', watchedRoutes(sources), { routes: [], rules: [] }),
    orNoted('freezes', new Policy(config, sources.store).freezes(), []),
    temporal ? orNoted('workers', pollingWorkers(temporal, config.temporal.taskQueue), []) : [],
    orNoted('schedules', schedulesOf(sources), { next: [], paused: [], unapplied: [] }),
  ]);
  const unable = temporal && (await orNoted('workers', whyUnable({ config, temporal }, workers), undefined));
  const inState = (status: RunStatus): RunRow[] => open.filter((row) => row.status === status);
  return {
    temporal: { address: config.temporal.address, answers: temporal !== undefined },
    workers: workers.map(({ name }) => name),
    unable,
    running: inState('running'),
    waiting: inState('waiting'),
    parked: inState('parked'),
    failed,
    overdue: backups
      .filter(({ overdue }) => overdue)
      .map(({ route, lastGood, maxAgeMs }) => ({ route, lastGood, maxAgeMs })),
    rules,
    unproven: backups.filter(({ lastGood, lastProven }) => lastGood && !lastProven).map(({ route }) => route),
    frozen,
    backedUp: backedUpOf(backups),
    ...schedules,
    notes,
  };
}

export const statusHandlers: Handlers<typeof statusOperations> = {
  readStatus,

  readWhoami({ may }) {
    const { who, identity, rights, routes, pipelines, until } = may.caller;
    return Promise.resolve({ who, identity, rights, routes, pipelines, expiresAt: until?.toISOString() });
  },
};

/** What the workers lack, by their own view; undefined if nothing. Throws if that is unknown. */
async function whyUnable(
  asked: WorkerSources,
  workers: readonly PollingWorker[],
): Promise<StatusView['unable']> {
  try {
    const unknown = await compareWorkers(asked, [...asked.config.portals.keys()], workers);
    if (unknown !== undefined) throw new PortolanError('TIMEOUT', unknown);
    return undefined;
  } catch (thrown) {
    const { code, plainMessage: message, hint } = PortolanError.from(thrown);
    const lacking = unableCodes.find((each) => each === code);
    if (lacking === undefined) throw thrown;
    return { code: lacking, message, hint };
  }
}

/** Open runs, by Temporal; by their records if it cannot be reached. */
async function openRows(sources: ReadContext): Promise<RunRow[]> {
  const { rows } = await runPage(sources, { open: true });
  return await withQueues(sources, rows);
}

type WatchedRoute = StatusView['overdue'][number] & Pick<RouteState, 'overdue' | 'lastProven'>;

/** Runs that failed or ended partial lately, without child runs, whose parents are listed. */
async function failedLately({ config, temporal }: Required<ReadContext>): Promise<RunRow[]> {
  const since = `CloseTime > '${new Date(Date.now() - LATELY_MS).toISOString()}'`;
  const ended = `(${endedAs('failed')} OR ${endedAs('partial')})`;
  const rows = await endedIndexed(temporal, config.temporal.taskQueue, [since, ended], FAILED_MAX);
  return rows.filter(({ runId }) => wholeOfPart(runId) === undefined).map(({ said: _said, ...row }) => row);
}

/** The routes with `maxAge`, and the rules that have left something undone. */
async function watchedRoutes({
  config,
  store,
}: ReadContext): Promise<{ routes: WatchedRoute[]; rules: StatusView['rules'] }> {
  const now = Date.now();
  const maxAges = maxAgesOf(config);
  const rules = (await readRules(config, store)).flatMap((each) => undoneBy(each, now));
  if ([...maxAges.values()].every((maxAge) => maxAge === undefined)) return { routes: [], rules };
  const routes = (await statesOfRoutes(config, openSnapshots(config, store), now))
    .filter(({ maxAgeMs }) => maxAgeMs !== undefined)
    .map(({ lastGood, ...state }) => ({
      ...state,
      lastGood: lastGood && sinceWhen(lastGood, now),
    }));
  return { routes, rules };
}

/** A rule with groups that are not backed up or overdue, or without any; one that has never run is overdue as a whole. */
function undoneBy(noted: NotedRule, now: number): StatusView['rules'] {
  const { rule, known, outcome } = noted;
  const overdue = [...groupStates(noted, now).values()].filter((state) => state.overdue).length;
  const isIdle = known ? known.groups.length === 0 : rule.backup.maxAgeMs !== undefined;
  const { failures = 0, failed = [], error } = outcome ?? {};
  if (overdue === 0 && failures === 0 && error === undefined && !isIdle) return [];
  return [
    {
      rule: `${rule.portal}/${rule.name}`,
      groups: known?.groups.length ?? 0,
      overdue,
      failures,
      error,
      failed: failed.map(({ id, title }) => `${title} (${id})`),
    },
  ];
}

/** A time instead of the age, which would change constantly and update every watcher. */
function sinceWhen(
  { ageMs, ...lastGood }: NonNullable<RouteState['lastGood']>,
  now: number,
): WatchedRoute['lastGood'] {
  return { ...lastGood, ...(!lastGood.ahead && { goodAt: new Date(now - ageMs).toISOString() }) };
}

function backedUpOf(routes: readonly WatchedRoute[]): StatusView['backedUp'] {
  if (routes.length === 0) return undefined;
  const times = routes.flatMap(({ lastGood }) => lastGood?.goodAt ?? []).sort();
  return { routes: times.length, oldestAt: times[0] };
}

async function schedulesOf(sources: ReadContext): Promise<Pick<StatusView, 'next' | 'paused' | 'unapplied'>> {
  const { temporal } = sources;
  if (temporal === undefined) return { next: [], paused: [], unapplied: [] };
  const specs = allSchedules(sources.config);
  const rows = await scheduleRows({ ...sources, temporal });
  const due = rows.flatMap(({ name: schedule, kind, route, paused, next: [at] }) =>
    at === undefined || paused ? [] : [{ schedule, kind, route, at }],
  );
  return {
    next: due.sort((one, other) => one.at.localeCompare(other.at)).slice(0, NEXT_SHOWN),
    paused: rows.filter(({ name, paused }) => paused && !specs.get(name)?.paused).map(({ name }) => name),
    unapplied: rows
      .filter(({ origin, standing }) => origin === 'file' && standing !== 'as in portolan.yaml')
      .map(({ name }) => name),
  };
}
