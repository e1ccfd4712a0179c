import { hashOfJson } from '../../domain/snapshot/hashing';
import type { Config } from '../../config/config';
import { backupSettings } from '../../config/resolve-rule';
import type { Forgetting, snapshotOperations } from '../../contract/snapshots';
import { findSnapshot } from '../../domain/resolve-id';
import { openSnapshots, type Snapshots } from '../../domain/snapshot/snapshots';
import { forget, planByIds, planByPolicy, type RetentionPlan } from '../../domain/snapshot/retention/forget';
import { requireRules } from '../../domain/snapshot/retention/retention';
import { PortolanError } from '../../model/errors/errors';
import type { RetentionPolicy } from '../../model/snapshot/snapshot';
import { openRuns as openRunsOf } from '../run/lookup/indexed-runs';
import type { Handlers } from '../context';
import { snapshotView, unreadableView } from './snapshot-view';

type Forget = Handlers<typeof snapshotOperations>['forgetSnapshots'];

/**
 * Removes snapshots: named ones, or those of a route that no rule keeps. Throws `USAGE`, `RETENTION_EMPTY` without a
 * rule, `PLAN_CHANGED` if the decisions differ from those seen, and the reason if a named one must stay.
 */
export const forgetSnapshots: Forget = async (
  { config, store, temporal, may },
  { dryRun, seen, ...asked },
) => {
  if (!dryRun) may.have('operate');
  const request = requestOf(config, asked);
  const snapshots = openSnapshots(config, store);
  const openRuns = temporal && (await openRunsOf(temporal));
  const plan = await planOf(snapshots, request, openRuns);
  const isNamed = 'texts' in request;
  if (!dryRun) {
    const leaving = plan.decisions.filter(({ keep }) => !keep).map(({ snapshot }) => snapshot.manifest);
    may.changeSnapshots([...leaving, ...(isNamed && plan.unreadable.length > 0 ? [undefined] : [])]);
  }
  const mark = markOf(plan.going);
  if (seen !== undefined && seen !== mark)
    throw new PortolanError(
      'PLAN_CHANGED',
      'The snapshots to forget differ from those shown; nothing was forgotten.',
      {
        hint: 'Review the new list and confirm it.',
      },
    );
  const isUnknown = openRuns === undefined;
  return {
    ...viewOf(plan, isNamed),
    dryRun,
    ...(!dryRun && { result: await forget(snapshots, plan, { openRuns }) }),
    seen: mark,
    notes: isUnknown ? ['cannot reach Temporal; safeguards of runs without a recorded end are kept'] : [],
  };
};

type Request =
  { readonly texts: readonly string[] } | { readonly route: string; readonly policy?: RetentionPolicy };

function requestOf(
  config: Config,
  { snapshots: texts = [], route, keep = {}, safeguards }: Omit<Parameters<Forget>[1], 'dryRun' | 'seen'>,
): Request {
  const hasRules = Object.values(keep).some((rule) => rule !== undefined);
  const usage = (message: string): PortolanError =>
    new PortolanError('USAGE', message, { hint: 'See: portolan snapshot forget --help' });
  if (texts.length > 0) {
    if (route === undefined && !hasRules && !safeguards) return { texts };
    throw usage('Name snapshots, or --route with rules; not both.');
  }
  if (route === undefined) throw usage('Name snapshots, or --route.');
  if (hasRules && safeguards) throw usage('--safeguards cannot be combined with rules for other snapshots.');
  if (safeguards) return { route };
  const chosen = hasRules ? keep : backupSettings(config, route)?.keep;
  if (!chosen) {
    throw new PortolanError(
      'RETENTION_EMPTY',
      `Route "${route}" has no backup.keep in ${config.path}, and no rule was given.`,
    );
  }
  requireRules(chosen);
  return { route, policy: chosen };
}

async function planOf(
  snapshots: Snapshots,
  request: Request,
  openRuns: ReadonlySet<string> | undefined,
): Promise<RetentionPlan> {
  if (!('texts' in request)) return await planByPolicy(snapshots, { ...request, openRuns });
  const ids: string[] = [];
  for (const text of request.texts) ids.push(await findSnapshot(snapshots, text));
  return await planByIds(snapshots, [...new Set(ids)], { openRuns });
}

/** @param isNamed whether the unreadable ones were named, and go */
function viewOf(
  { decisions, unreadable, needed }: RetentionPlan,
  isNamed: boolean,
): Pick<Forgetting, 'decisions' | 'unreadable' | 'neededPackages'> {
  const now = Date.now();
  return {
    decisions: decisions.map(({ snapshot, keep, reasons }) => ({
      ...snapshotView(snapshot, now),
      keep,
      reasons,
    })),
    unreadable: unreadable.map((each) => ({ ...unreadableView(each), keep: !isNamed })),
    neededPackages: needed,
  };
}

const markOf = (ids: readonly string[]): string => hashOfJson([...ids].sort()).slice(0, 32);
