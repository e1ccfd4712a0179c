import { exitStatus } from '../../model/errors/error-codes';

type ExitName = keyof typeof exitStatus;

/** Each exit status: its short meaning, a colon, and details. */
export const exitMeanings: Readonly<Record<ExitName, string>> = {
  done: 'success',
  failed: 'failed: an error, a failed preflight check, or a problem found by `snapshot verify`',
  usage:
    'usage or configuration: a wrong command or portolan.yaml, one portal at both ends, or an approval needed without a terminal or `--yes`',
  partial:
    'partial: items were blocked, failed, are unaccounted for or have findings, or the source group shrank by more than half',
  waiting: 'waiting or parked: a run waits for approval or a decision',
  cancelled: 'cancelled or rejected: a run was cancelled, a plan rejected, or a prompt declined',
  notFound: 'not found: portal, group, item, route, run or snapshot',
  noTemporal: 'Temporal, worker or server unavailable',
  denied: 'access denied: wrong credentials or a missing privilege',
  differences:
    'differences: from every `diff`; with `--exit-code`, also from `--plan-only` and `schedule apply --dry-run`',
  waitTimedOut: 'timed out: stopped waiting; the run continues',
  stoppedWaiting: 'Ctrl-C: stopped watching; the run continues',
};

/** Exit statuses with their meanings, in ascending order. */
export const exitStatuses = (Object.keys(exitMeanings) as ExitName[])
  .map((name) => ({ status: exitStatus[name], meaning: exitMeanings[name] }))
  .sort((one, other) => one.status - other.status);

/** The end of the help of the program: statuses with their short meanings. */
export const exitHelp = (): string =>
  [
    'Exit status:',
    ...exitStatuses.map(({ status, meaning }) => `  ${String(status).padStart(3)} ${meaning.split(':')[0]}`),
  ].join('\n');
