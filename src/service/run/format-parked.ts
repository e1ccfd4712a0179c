import { changeKeys } from '../../config/route-change';
import { isErrorCode, meaningOf } from '../../model/errors/error-codes';
import type { ParkedRecord, RunRecord } from '../../model/run/run';
import { parsePortalQueueId } from '../../model/run/portal-queue';
import { oneLine } from '../../model/text/plain-text';
import { portalQueueName } from '../portal-queue/queue-words';

/** Separates the reason from the portal message. */
const wordsMark = '; portal message: ';

/** Evidence about items of the target: `0 of 11 items on production have changed since the plan`. */
export const isOfTarget = (line: string): boolean => /^\d+ of \d+ items?\b/.test(line);

/** One line on why a run is parked. */
export interface Reason {
  readonly label?: 'seen' | 'fix';
  readonly text: string;
}

/** Why a run is parked: code, kind and origin, portal message, evidence, and fix. */
export function parkedReasons(
  { error }: RunRecord,
  { code, reason }: ParkedRecord,
  evidence: readonly string[],
): Reason[] {
  const [first = '', ...others] = reason.split('\n');
  const [said = '', words] = first.split(wordsMark);
  const kind = error?.kind ?? (isErrorCode(code) ? meaningOf(code).kind : 'unknown');
  const origin = error === undefined ? '' : `, ${error.origin}`;
  return [
    { text: `${code}  ${oneLine(said)} (${kind}${origin})` },
    ...others.map((line) => ({ text: oneLine(line) })),
    ...(words === undefined ? [] : [{ text: `portal message: ${oneLine(words)}` }]),
    ...evidence.map((line) => ({ label: 'seen' as const, text: oneLine(line) })),
    ...(error === undefined ? [] : [{ label: 'fix' as const, text: oneLine(error.hint) }]),
  ];
}

/** What a parked run holds, for people: a portal queue goes by its name. */
export function heldText(line: string): string {
  const [what = ''] = line.split(',');
  return parsePortalQueueId(what) === undefined
    ? line
    : `slot in ${portalQueueName(what)}${line.slice(what.length)}`;
}

/** The effects of a command on a parked run, one line each, indented by two. */
export function describeCommand(
  command: string,
  kind: RunRecord['kind'],
  { code, reuses, redoes }: ParkedRecord,
): string[] {
  if (command.includes(' --bisect'))
    return ['  ends this run, then bisects the import to find the failing items'];
  if (command.includes(' promote rollback ')) return ['  ends this run and rolls back its changes'];
  if (kind === 'promotion') return deedsOfPromotion(command, redoes);
  if (command.includes(' run cancel ')) return ['  removes its packages and ends'];
  if (!command.includes(' run resume ')) return [];
  const [first, ...rest] = redoes;
  // A job and waiting for it are displayed as one phase.
  const then = rest.filter((phase) => !phase.startsWith('wait-')).join(', ');
  return [
    `  reuses    ${reuses.join('; ') || 'nothing'}`,
    ...(first === undefined ? [] : [`  redoes    ${first}`]),
    ...(then === '' ? [] : [`  then      ${then}`]),
    ...(code === 'IMPORT_UNDECIDED' ? ['  may       send a second import'] : []),
    `  corrects  with --set KEY=VALUE: ${changeKeys.join(', ')}`,
  ];
}

/** A promotion resumes with its original options; its automatic rollback is not one of the next phases. */
function deedsOfPromotion(command: string, redoes: readonly string[]): string[] {
  if (command.includes(' run cancel ')) return ['  ends the run; its changes stay'];
  const then = redoes.filter((phase, index) => index === 0 || phase !== 'rollback').join(', ');
  return command.includes(' run resume ') ? [`  continues with ${then}`] : [];
}
