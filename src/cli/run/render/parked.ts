import { oneLine, visibleText } from '../../../model/text/plain-text';
import { changeKeys } from '../../../config/route-change';
import { isErrorCode, meaningOf } from '../../../model/errors/error-codes';
import type { ParkedRecord } from '../../../model/run/parked';
import type { RunRecord } from '../../../model/run/run';
import type { Style } from '../../terminal/style';
import { timeWords } from '../../../model/text/words';

/** Width of the labels in capitals. */
const width = 9;
const indent = ' '.repeat(width);

/** Lines below a label; nothing where there are none. */
const block = (label: string, lines: readonly string[], { colors }: Style): string[] =>
  lines.map((line, index) => (index === 0 ? colors.bold(label.padEnd(width)) : indent) + visibleText(line));

/** Where the portal's own words begin in a reason. */
const wordsMark = "; the portal's words: ";

/** What evidence says of the target's items: `0 of 11 items are newer than the job`. */
const isOfTarget = (line: string): boolean => /^\d+ of \d+ items?\b/.test(line);

/** Why a run is parked: code, kind and origin, the portal's words, what was seen, and what to do about it. */
function reasons(
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

export const whyBlock = (record: RunRecord, parked: ParkedRecord, style: Style): string[] =>
  block(
    'WHY',
    reasons(
      record,
      parked,
      parked.evidence.filter((line) => !isOfTarget(line)),
    ),
    style,
  );

/** The same at the end of a command, with all that was seen. */
export function whyLines(record: RunRecord, parked: ParkedRecord, { colors }: Style): string[] {
  const [first = '', ...others] = reasons(record, parked, parked.evidence);
  return [colors.yellow(first), ...others.map((line) => indent + line)];
}

const targetWords: Record<RunRecord['target'], string> = {
  untouched: 'NOT CHANGED',
  changed: 'CHANGED',
  unknown: 'UNKNOWN',
};

/** Whether the target changed, with what was seen of it. */
export function targetBlock({ target, items }: RunRecord, parked: ParkedRecord, style: Style): string[] {
  const seen = parked.evidence.filter(isOfTarget);
  const looked = seen.length === 0 ? '' : ` (looked at ${timeWords(parked.at)})`;
  const ledger =
    seen.length === 0 && items !== undefined ? ' The ledger below says which items arrived.' : '';
  const evidence = seen.length === 0 ? ledger : ` ${seen.join('; ')}`;
  return block('TARGET', [`${targetWords[target]}.${evidence}${looked}`], style);
}

/** What the run keeps until somebody decides. */
export const heldBlock = ({ held }: ParkedRecord, style: Style): string[] =>
  block('HELD', held.length === 0 ? ['nothing, no worker'] : [...held, 'no worker'], style);

/** What can be typed, the most likely first, each with what it does. */
export const typeBlock = ({ kind }: RunRecord, parked: ParkedRecord, style: Style): string[] =>
  parked.commands.flatMap((command, index) =>
    block(index === 0 ? 'TYPE' : 'OR', [command, ...deedsOf(command, kind, parked)], style),
  );

function deedsOf(command: string, kind: RunRecord['kind'], { reuses, redoes }: ParkedRecord): string[] {
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

/** Who did what when, with the parking among it. */
export function logBlock({ actions }: RunRecord, parked: ParkedRecord, style: Style): string[] {
  const acts = actions.map((action) => ({ at: action.at, words: actionWords(action) }));
  const often = parked.count > 1 ? ` for the ${ordinal(parked.count)} time` : '';
  const stop = { at: parked.at, words: `parked in ${parked.phase}${often}` };
  const since = actions.some(({ at }) => at > parked.at);
  const refused =
    parked.refusals > 0
      ? `${parked.refusals} attempt${parked.refusals === 1 ? '' : 's'} to resume it refused since`
      : undefined;
  const quiet = refused ?? (since ? undefined : 'no one has acted since');
  return block(
    'LOG',
    [
      ...[...acts, stop]
        .sort((a, b) => a.at.localeCompare(b.at))
        .map(({ at, words }) => `${timeWords(at)}  ${words}`),
      ...(quiet === undefined ? [] : [quiet]),
    ],
    style,
  );
}

function ordinal(count: number): string {
  const ends: Record<number, string> = { 1: 'st', 2: 'nd', 3: 'rd' };
  const isTeen = count % 100 > 10 && count % 100 < 14;
  return `${count}${isTeen ? 'th' : (ends[count % 10] ?? 'th')}`;
}

/** `a.brandt@desk (claimed)  approve: looks right`. */
export function actionWords({ who, identity, what, reason }: RunRecord['actions'][number]): string {
  const claimed = identity === undefined ? '' : ` (${identity})`;
  const why = reason === undefined ? '' : `: ${oneLine(reason)}`;
  return `${oneLine(who)}${claimed}  ${oneLine(what)}${why}`;
}
