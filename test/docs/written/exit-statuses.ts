import { exitStatuses } from '../../../src/cli/terminal/exit-meanings';
import { errorTable } from '../../../src/model/errors/error-codes';
import { table, writtenBy } from './table';

export const exitStatusesPage = (): string => `# Exit statuses

${writtenBy('the tables of the code')}

Every ending of every command is one of these. A program that starts Portolan needs no more than 0 and 3 for a run that it can leave alone, 4 for one that somebody has to look at, and the rest for what it did wrong itself.

${table(
  ['Status', 'When', 'Codes of errors that end with it'],
  exitStatuses.map(({ status, meaning }) => [String(status), meaning, codesOf(status)]),
)}

What each code means, and what to do about it, is in [errors](errors.md).
`;

const codesOf = (status: number): string =>
  Object.entries(errorTable)
    .filter(([, { exit }]) => exit === status)
    .map(([code]) => `\`${code}\``)
    .join(', ');
