import { oneLine, visibleText } from '../../../model/text/plain-text';
import type { ParkedRecord } from '../../../model/run/parked';
import type { RunRecord } from '../../../model/run/run';
import type { Style } from '../../terminal/style';
import { timeWords } from '../../../model/text/words';
import { deedsOfCommand, isOfTarget, parkedReasons } from '../../../service/run/parked-words';

/** Width of the labels in capitals. */
const width = 9;
const indent = ' '.repeat(width);

/** Lines below a label; nothing where there are none. */
const block = (label: string, lines: readonly string[], { colors }: Style): string[] =>
  lines.map((line, index) => (index === 0 ? colors.bold(label.padEnd(width)) : indent) + visibleText(line));

export const whyBlock = (record: RunRecord, parked: ParkedRecord, style: Style): string[] =>
  block(
    'WHY',
    parkedReasons(
      record,
      parked,
      parked.evidence.filter((line) => !isOfTarget(line)),
    ),
    style,
  );

/** The same at the end of a command, with all that was seen. */
export function whyLines(record: RunRecord, parked: ParkedRecord, { colors }: Style): string[] {
  const [first = '', ...others] = parkedReasons(record, parked, parked.evidence);
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
    block(index === 0 ? 'TYPE' : 'OR', [command, ...deedsOfCommand(command, kind, parked)], style),
  );

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
