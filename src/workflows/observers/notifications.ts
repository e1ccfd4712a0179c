import { CancellationScope, log } from '@temporalio/workflow';
import type { Notice, NotifyEvent } from '../../model/run/notification';
import { plainLines } from '../../model/text/plain-text';
import type { RunState } from '../../model/run/run-state';
import { countOf, listFirst } from '../../model/text/words';
import { planWords } from '../../model/transfer/plan-summary';
import { sending, filterSubscribedEvents } from '../run/activity-options';
import type { Run } from '../run/run';

type RunEvent = Exclude<NotifyEvent, 'overdue'>;

/** Notifies the configured receivers of a run's events. */
export const notifications = {
  started: notifyStart,
  waiting: (run: Run) => notify(run, 'waiting'),
  parked: (run: Run) => notify(run, 'parked'),
  ended: notifyEnd,
};

/** Delays the run by seconds, at worst a few minutes. A failed notification becomes a warning. */
async function notify(run: Run, event: RunEvent): Promise<void> {
  if (!run.kind.notifies) return;
  await run.attempt(`the notification "${event}" was not sent`, async () => {
    const notice = noticeOf(run, event);
    const warnings = await CancellationScope.nonCancellable(() => sending(event).notify(notice));
    for (const warning of warnings) run.warn(warning);
  });
}

/** Plan-only runs and child runs send no notifications; a parent run sends its own. */
const isTold = (run: Run): boolean =>
  run.kind.notifies === true && !run.route.options?.planOnly && run.input.parks !== false;

async function notifyStart(run: Run): Promise<void> {
  if (!isTold(run)) return;
  for (const event of await ofThese(run, ['started'])) await notify(run, event);
}

/** Notifies of the end of a closed run, and of recovery after trouble. */
async function notifyEnd(run: Run): Promise<void> {
  if (!isTold(run)) return;
  for (const event of await eventsOfEnd(run)) await notify(run, event);
}

async function eventsOfEnd(run: Run): Promise<RunEvent[]> {
  const { status } = run.state;
  const endedWell = status === 'succeeded' || status === 'nothing-to-do';
  const what = run.kind.effectOf?.(run);
  const told: RunEvent[] = what === undefined ? [] : [what];
  if (status === 'partial' || status === 'failed') return [status, ...(await ofThese(run, told))];
  return await ofThese(run, endedWell ? ['succeeded', ...told, 'recovered'] : told);
}

/** The events that someone subscribes to. */
async function ofThese({ state }: Run, events: readonly RunEvent[]): Promise<RunEvent[]> {
  if (events.length === 0) return [];
  try {
    const asked = { route: keyOf(state.route), events };
    const told = await CancellationScope.nonCancellable(() => filterSubscribedEvents(asked));
    return events.filter((event) => told.includes(event));
  } catch (error) {
    log.warn('the list of receivers could not be read', { events, error });
    return [];
  }
}

function noticeOf({ state, facts }: Run, event: RunEvent): Notice {
  const { runId, route, status, target, parked } = state;
  const common = { runId, route: keyOf(route), event, status, target };
  switch (event) {
    case 'parked':
      return {
        ...common,
        reason: inPlain(parked?.reason),
        commands: parked?.commands,
        count: parked?.count ?? 1,
      };
    case 'waiting':
      return { ...common, ...planOf(state), count: facts.planReading ?? 1 };
    case 'partial':
      return { ...common, reason: whatIsOpen(state), count: 1 };
    case 'failed':
      return { ...common, reason: inPlain(whatFailed(state)), count: 1 };
    case 'promoted':
    case 'rolled-back': {
      const { release, stage } = state;
      const what = release && stage ? `release ${release.id}, stage ${stage}` : undefined;
      return { ...common, release: release?.id, stage, reason: what, count: 1 };
    }
    case 'started':
    case 'succeeded':
    case 'recovered':
      return { ...common, count: 1 };
  }
}

const keyOf = ({ name, source, target }: RunState['route']): Notice['route'] => ({
  name,
  source: { groupId: source?.groupId ?? '' },
  target: target && { groupId: target.groupId ?? '' },
});

/** Portal messages quoted in the reason go to people and programs, so as plain text. */
const inPlain = (reason: string | undefined): string | undefined =>
  reason === undefined ? undefined : plainLines(reason);

function planOf({ plan }: RunState): Pick<Notice, 'reason' | 'planHash'> {
  return plan ? { planHash: plan.hash, reason: planWords(plan) } : {};
}

function whatIsOpen({ kind, items, verification, children = [] }: RunState): string {
  if (kind === 'protect') {
    const failed = children.filter(({ status }) => status !== 'succeeded' && status !== 'nothing-to-do');
    const named = listFirst(
      failed.map(({ name, groupId }) => `"${name}" (${groupId})`),
      5,
    );
    return `${failed.length} of ${countOf(children.length, 'group')} not backed up: ${named.join(', ')}`;
  }
  const { imported = 0, blocked = 0, failed = 0, notImported = 0, unaccounted = 0 } = items ?? {};
  return `${imported} imported, ${blocked} blocked, ${failed} failed, ${notImported} not imported, ${unaccounted} unaccounted for, ${countOf(verification?.findings ?? 0, 'finding')}`;
}

const whatFailed = ({ error }: RunState): string | undefined =>
  error && `${error.code}: ${error.message}. ${error.hint}`;
