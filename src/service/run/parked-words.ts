import { changeKeys } from '../../config/route-change';
import { isErrorCode, meaningOf } from '../../model/errors/error-codes';
import type { ParkedRecord } from '../../model/run/parked';
import type { RunRecord } from '../../model/run/run';
import { oneLine } from '../../model/text/plain-text';

/** Where the portal's own words begin in a reason. */
const wordsMark = "; the portal's words: ";

/** What evidence says of the target's items: `0 of 11 items are newer than the job`. */
export const isOfTarget = (line: string): boolean => /^\d+ of \d+ items?\b/.test(line);

/** Why a run is parked: code, kind and origin, the portal's words, what was seen, and what to do about it. */
export function parkedReasons(
  { error }: RunRecord,
  { code, reason }: ParkedRecord,
  evidence: readonly string[],
): string[] {
  const [first = '', ...others] = reason.split('\n');
  const [said = '', words] = first.split(wordsMark);
  const kind = error?.kind ?? (isErrorCode(code) ? meaningOf(code).kind : 'unknown');
  const origin = error === undefined ? '' : `, ${error.origin}`;
  return [
    `${code}  ${oneLine(said)} (${kind}${origin})`,
    ...others.map(oneLine),
    ...(words === undefined ? [] : [`the portal's words: ${oneLine(words)}`]),
    ...evidence.map((line) => `seen   ${oneLine(line)}`),
    ...(error === undefined ? [] : [`to do  ${oneLine(error.hint)}`]),
  ];
}

/** What a command does for a parked run, a line each; a line that begins with two blanks belongs to it. */
export function deedsOfCommand(
  command: string,
  kind: RunRecord['kind'],
  { reuses, redoes }: ParkedRecord,
): string[] {
  if (command.includes(' --bisect'))
    return ['  ends this run; imports by halves until the items at fault are known'];
  if (command.includes(' promote rollback ')) return ['  ends this run; takes back what it has written'];
  if (kind === 'promotion') return deedsOfPromotion(command, redoes);
  if (command.includes(' run cancel ')) return ['  removes what it holds, and ends'];
  if (!command.includes(' run resume ')) return [];
  const [first, ...rest] = redoes;
  // For people a job and its waiting are one phase.
  const then = rest.filter((phase) => !phase.startsWith('wait-')).join(', ');
  return [
    `  reuses    ${reuses.join('; ') || 'nothing'}`,
    ...(first === undefined ? [] : [`  redoes    ${first}`]),
    ...(then === '' ? [] : [`  then      ${then}`]),
    `  corrects  with --set KEY=VALUE: ${changeKeys.join(', ')}`,
  ];
}

/** A promotion goes on as it was started, and its own way back is no part of what follows. */
function deedsOfPromotion(command: string, redoes: readonly string[]): string[] {
  if (command.includes(' run cancel ')) return ['  ends it; what it has written stays'];
  const then = redoes.filter((phase, index) => index === 0 || phase !== 'rollback').join(', ');
  return command.includes(' run resume ') ? [`  goes on with ${then}`] : [];
}
