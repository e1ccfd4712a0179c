import { Command } from '@commander-js/extra-typings';
import type { Config } from '../../../config/config';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import type { RetentionPolicy } from '../../../model/snapshot/retention';
import { findSnapshot } from '../../../domain/snapshot/find-snapshot';
import {
  forget,
  planByIds,
  planByPolicy,
  type RetentionPlan,
} from '../../../domain/snapshot/retention/forget';
import { openSnapshots } from '../../../domain/snapshot/open-snapshots';
import { requireRules } from '../../../domain/snapshot/retention/retention';
import type { Snapshots } from '../../../domain/snapshot/snapshots';
import { countArgument, durationArgument, nameArgument, repeated } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { askYes } from '../../terminal/prompts';
import { forgottenWords, retentionTable, retentionView } from '../render/snapshot-forget';
import { countOf } from '../../../model/text/words';

/** `portolan snapshot forget`: removes snapshots by name, or those of a route that no rule keeps. */
export const snapshotForgetCommand = () =>
  new Command('forget')
    .summary('removes snapshots that no rule keeps, or that are named')
    .description(
      'Removes snapshots: those that are named, or those of a route that no rule keeps. The rules are those given, else those of the route in portolan.yaml. What stays and goes is shown with the reasons, and then asked for. Pinned ones, those that an open run needs, the last good one of each route and the last that was proven restorable always stay.',
    )
    .argument('[snapshots...]', 'ids, or ends of them')
    .option(
      '--route <name>',
      'snapshots of this route, by its policy or by that of the options',
      nameArgument,
    )
    .option('--keep-last <count>', 'the newest so many', countArgument)
    .option('--keep-hourly <count>', 'the newest of each of so many hours', countArgument)
    .option('--keep-daily <count>', 'the newest of each of so many days', countArgument)
    .option('--keep-weekly <count>', 'the newest of each of so many weeks', countArgument)
    .option('--keep-monthly <count>', 'the newest of each of so many months', countArgument)
    .option('--keep-yearly <count>', 'the newest of each of so many years', countArgument)
    .option('--keep-within <duration>', 'all of so long before the newest', durationArgument)
    .option('--keep-tag <tag>', 'all with this tag; can be repeated', repeated)
    .option('--safeguards', 'only safeguards whose time is over')
    .option('--dry-run', 'shows what would go, and removes nothing')
    .option('--yes', 'does not ask')
    .action((texts, options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const request = requestOf(config, texts, options);
        const snapshots = openSnapshots(config);
        const { openRunsIfKnown } = await import('../../../service/run/lookup/indexed-runs.js');
        const openRuns = await openRunsIfKnown(config);
        if (openRuns === undefined)
          output.note('note  Temporal is out of reach: safeguards of runs that have recorded no end stay');
        const plan = await planOf(snapshots, request, openRuns);
        const going = [
          ...plan.decisions.filter(({ keep }) => !keep).map(({ snapshot }) => snapshot.manifest.id),
          ...('texts' in request ? plan.unreadable.map(({ id }) => id) : []),
        ];
        const view = retentionView(plan, 'texts' in request, Date.now());
        const end = (status: number, forgotten: Awaited<ReturnType<typeof forget>> | undefined): number => {
          output.show({ ...view, dryRun: options.dryRun === true, result: forgotten }, (style) =>
            forgotten ? forgottenWords(forgotten, style) : 'Nothing was forgotten.',
          );
          return status;
        };
        output.before((style) => retentionTable(view, style));
        if (options.dryRun) return end(exitStatus.done, undefined);
        if (going.length > 0 && !options.yes) {
          const count = countOf(going.length, 'snapshot');
          const answer = await askYes(`Forget ${count}?`, {
            what: `Nobody said yes to this, and nothing was forgotten.`,
            hint: `To forget ${count}, type it again with --yes.`,
          });
          if (!answer) return end(exitStatus.cancelled, undefined);
        }
        return end(exitStatus.done, await forget(snapshots, going, { openRuns }));
      }),
    );

interface Flags {
  readonly route?: string;
  readonly keepLast?: number;
  readonly keepHourly?: number;
  readonly keepDaily?: number;
  readonly keepWeekly?: number;
  readonly keepMonthly?: number;
  readonly keepYearly?: number;
  readonly keepWithin?: number;
  readonly keepTag?: readonly string[];
  readonly safeguards?: true;
}

type Request =
  | { readonly texts: readonly string[] }
  | { readonly route: string; readonly policy?: RetentionPolicy; readonly safeguardsMs?: number };

/** Throws USAGE, and RETENTION_EMPTY where there is no rule to go by. */
function requestOf(config: Config, texts: readonly string[], flags: Flags): Request {
  const policy: RetentionPolicy = {
    last: flags.keepLast,
    hourly: flags.keepHourly,
    daily: flags.keepDaily,
    weekly: flags.keepWeekly,
    monthly: flags.keepMonthly,
    yearly: flags.keepYearly,
    withinMs: flags.keepWithin,
    tags: flags.keepTag,
  };
  const hasRules = Object.values(policy).some((rule) => rule !== undefined);
  const usage = (message: string): PortolanError =>
    new PortolanError('USAGE', message, { hint: 'See: portolan snapshot forget --help' });
  if (texts.length > 0) {
    if (flags.route === undefined && !hasRules && !flags.safeguards) return { texts };
    throw usage('Name snapshots, or --route with rules; not both.');
  }
  if (flags.route === undefined) throw usage('Name snapshots, or --route.');
  if (hasRules && flags.safeguards) throw usage('--safeguards goes without rules for other snapshots.');
  const configured = config.routes.get(flags.route)?.backup;
  const request = { route: flags.route, safeguardsMs: configured?.safeguardsMs };
  if (flags.safeguards) return request;
  const chosen = hasRules ? policy : configured?.keep;
  if (!chosen) {
    throw new PortolanError(
      'RETENTION_EMPTY',
      `Route "${flags.route}" has no backup.keep in ${config.path}, and no rule was given.`,
    );
  }
  requireRules(chosen);
  return { ...request, policy: chosen };
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
