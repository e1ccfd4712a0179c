import { exitStatus } from '../../model/errors/error-codes';

type ExitName = keyof typeof exitStatus;

/** When a command ends with which status: what `--help` says, and docs/reference/exit-statuses.md. */
export const exitMeanings: Readonly<Record<ExitName, string>> = {
  done: 'succeeded, nothing to do, or shown',
  failed: 'failed, or refused by a guard; `snapshot verify` found something',
  usage:
    'usage, configuration, one portal for both ends; nobody could be asked for a yes, and `--yes` is missing',
  partial:
    'partial: something was blocked, failed, is unaccounted for or was found wrong; or the source group lost over half of its items. Of `status`: a backup is overdue or never proven, a run failed lately, or something could not be checked',
  waiting:
    'a run waits for an approval, or is parked; of `status` also: writes are frozen, or a schedule is paused or differs from portolan.yaml',
  cancelled: 'cancelled or rejected; somebody who was asked said no',
  notFound: 'portal, group, item, route, run or snapshot not found',
  noTemporal: 'Temporal out of reach, or no worker; where a server is asked, that out of reach',
  denied: 'wrong credentials, or a right is missing',
  differences:
    'differences, of each `diff`; with `--exit-code` also of `sync --plan-only` and `schedule apply --dry-run`',
  waitTimedOut: 'the wait timed out; the run goes on',
  stoppedWaiting: 'stopped waiting with Ctrl-C; the run goes on',
};

/** Statuses with their meanings, in ascending order. */
export const exitStatuses = (Object.keys(exitMeanings) as ExitName[])
  .map((name) => ({ status: exitStatus[name], meaning: exitMeanings[name] }))
  .sort((one, other) => one.status - other.status);

/** The list that ends the help of the whole program; what a status is in the first place, without its details. */
export const exitHelp = (): string =>
  [
    'Exit status:',
    ...exitStatuses.map(
      ({ status, meaning }) => `  ${String(status).padStart(3)} ${(/^[^;:]+/.exec(meaning) ?? [meaning])[0]}`,
    ),
  ].join('\n');
