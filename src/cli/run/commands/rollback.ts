import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { resolveRestore } from '../../../config/resolve-route';
import type { RollbackInput } from '../../../model/run/snapshot-input';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import type { RunKind, RunRecord } from '../../../model/run/run';
import { shortRunId } from '../../../model/run/run-id';
import { openSnapshots } from '../../../domain/snapshot/open-snapshots';
import { ApprovalDesk } from '../approval-desk';
import { durationArgument } from '../../terminal/arguments';
import { confirmTwice } from '../../terminal/prompts';
import { seekGroupRun } from '../../../service/run/find-run';
import { perform } from '../../terminal/globals';
import { type RunStart, startRun } from '../../../service/run/start-run';
import { requireAbleWorkers } from '../../../service/run/able-workers';
import { targetOf } from '../../../service/run/run-view';
import { withSources } from '../../../service/run/run-sources';
import { startAndFollow } from '../follow-run';

/** `portolan run rollback`: restores what a run has overwritten. */
export const runRollbackCommand = () =>
  new Command('rollback')
    .description(
      'Restores what a sync or restore has overwritten, from the safeguard that it took: plan, your yes, import, proof. Of one that has only created, nothing is restored. Items that the run had created are listed and stay, unless --delete-created is given: then those are removed that nobody has changed since.',
    )
    .argument('<run>', 'id, an end of it, or latest')
    .option('--delete-created', 'remove what the run had created and nobody has changed since; asked twice')
    .option('--yes', 'approve the plan')
    .option('--yes-delete <portal>', 'with --delete-created, for scripts: the name of the target portal')
    .option('--no-wait', 'print the record as it stands and end once the run is accepted')
    .option('--timeout <duration>', 'end the waiting after that long (124), never the run', durationArgument)
    .option('--request-id <key>', 'the same key twice is the same run')
    .option('--reason <text>', 'why; kept in the record')
    .action((text, { yes = false, yesDelete, wait, timeout: timeoutMs, ...asked }, command) =>
      perform(command, (output, globals) => {
        const { deleteCreated } = asked;
        const config = loadConfig(globals.config);
        return withSources(config, async (sources) => {
          const { store } = sources;
          const { record, open } = await seekGroupRun(sources, text);
          const snapshotId = safeguardOf(record, open);
          const target = targetOf(record);
          const { portal: to, groupId: into } = target;
          const confirmation = {
            what: `--delete-created removes items from ${to}`,
            question: `Remove from ${to} what the run had created?`,
          };
          if (deleteCreated && !(await confirmTwice(to, yesDelete, output, confirmation)))
            return exitStatus.cancelled;
          // Without a safeguard nothing is brought from anywhere.
          const from = snapshotId && (await openSnapshots(config, store).read(snapshotId)).source;
          const { portal, url, groupId } = from || target;
          const route = resolveRestore(
            config,
            { name: record.route.name, source: { portal, url, groupId } },
            { to, into, overwrite: true, data: 'replace' },
          );
          const workers = await requireAbleWorkers(sources, [route.target.portal]);
          const parent = record.runId;
          const start: RunStart<RollbackInput> = { route, yes, snapshotId, parent, ...asked };
          return startAndFollow(
            sources,
            output,
            (attended) => startRun('rollback', sources, { ...start, attended }),
            {
              route,
              approval: yes ? undefined : new ApprovalDesk(route.options.approval),
              wait,
              workers,
              timeoutMs,
            },
          );
        });
      }),
    );

/** Kinds of runs that may have created items and overwritten none: they take no safeguard then. */
const creating: ReadonlySet<RunKind> = new Set(['sync', 'restore', 'rollback']);

/** Undefined for a run that only created. Throws `USAGE` where there is nothing to go back to, or not yet. */
function safeguardOf(
  { runId, kind, safeguard, snapshot, target }: RunRecord,
  open: boolean,
): string | undefined {
  const short = shortRunId(runId);
  const usage = (message: string, hint: string) => new PortolanError('USAGE', message, { hint });
  if (open) throw usage(`${runId} is not over.`, `End it first: portolan run cancel ${short}`);
  const id = safeguard?.id ?? (kind === 'sync' ? snapshot?.id : undefined);
  if (id !== undefined || (creating.has(kind) && target !== 'untouched')) return id;
  throw usage(
    `${runId} has overwritten nothing, so it took no safeguard.`,
    `See what it did: portolan run show ${short}`,
  );
}
