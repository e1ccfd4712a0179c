import { Option } from '@commander-js/extra-typings';
import { durationArgument, reasonArgument } from './arguments';

const heading = 'Run options:';

/** Options of all commands that start a run. */
export const noWaitOption = () =>
  new Option('--no-wait', 'Print the run ID and exit once accepted').helpGroup(heading);

export const timeoutOption = () =>
  new Option('--timeout <duration>', 'Stop waiting after DURATION; the run continues')
    .argParser(durationArgument)
    .helpGroup(heading);

export const requestIdOption = () =>
  new Option('--request-id <key>', 'Start at most one run per KEY').helpGroup(heading);

export const reasonOption = () =>
  new Option('--reason <text>', 'Reason, saved with the run').argParser(reasonArgument).helpGroup(heading);
