import { oneLine, visibleText } from '../../../model/text/plain-text';
import type { ParkedRecord, RunRecord } from '../../../model/run/run';
import type { Style } from '../../terminal/style';
import { countOf, timeWords } from '../../../model/text/words';
import {
  describeCommand,
  heldText,
  isOfTarget,
  parkedReasons,
  type Reason,
} from '../../../service/run/format-parked';

/** Width of the labels in capitals. */
const width = 9;
const indent = ' '.repeat(width);

/** Lines beside a label; nothing without lines. */
const block = (label: string, lines: readonly string[], { colors }: Style): string[] =>
  lines.map((line, index) => (index === 0 ? colors.bold(label.padEnd(width)) : indent) + visibleText(line));

const reasonLine = ({ label, text }: Reason): string =>
  label === undefined ? text : `${label.padEnd(7)}${text}`;

export const whyBlock = (record: RunRecord, parked: ParkedRecord, style: Style): string[] =>
  block(
    'WHY',
    parkedReasons(
      record,
      parked,
      parked.evidence.filter((line) => !isOfTarget(line)),
    ).map(reasonLine),
    style,
  );

/** Why a run is parked, with all evidence, for the end of a command. */
export function whyLines(record: RunRecord, parked: ParkedRecord, { colors }: Style): string[] {
  const [first = '', ...others] = parkedReasons(record, parked, parked.evidence).map(reasonLine);
  return [colors.yellow(first), ...others.map((line) => indent + line)];
}

const targetWords: Record<RunRecord['target'], string> = {
  untouched: 'NOT CHANGED',
  changed: 'CHANGED',
  unknown: 'UNKNOWN',
};

/** Whether the target changed, with the evidence. */
export function targetBlock({ target, items }: RunRecord, parked: ParkedRecord, style: Style): string[] {
  const seen = parked.evidence.filter(isOfTarget);
  const looked = seen.length === 0 ? '' : ` (checked ${timeWords(parked.at)})`;
  const ledger =
    seen.length === 0 && items !== undefined ? ' RESULTS below lists the items that arrived.' : '';
  const evidence = seen.length === 0 ? ledger : ` ${seen.join('; ')}`;
  return block('TARGET', [`${targetWords[target]}.${evidence}${looked}`], style);
}

/** What the run holds while it is parked. */
export const heldBlock = ({ held }: ParkedRecord, style: Style): string[] =>
  block('HELD', held.length === 0 ? ['nothing'] : held.map(heldText), style);

/** The commands for this run, the most likely first, each with its effects. */
export const typeBlock = ({ kind }: RunRecord, parked: ParkedRecord, style: Style): string[] =>
  parked.commands.flatMap((command, index) =>
    block(index === 0 ? 'NEXT' : 'OR', [command, ...describeCommand(command, kind, parked)], style),
  );

/** The actions on the run, with the time it parked. */
export function logBlock({ actions }: RunRecord, parked: ParkedRecord, style: Style): string[] {
  const acts = actions.map((action) => ({ at: action.at, words: actionWords(action) }));
  const often = parked.count > 1 ? ` for the ${ordinal(parked.count)} time` : '';
  const stop = { at: parked.at, words: `parked in ${parked.phase}${often}` };
  const since = actions.some(({ at }) => at > parked.at);
  const refused =
    parked.refusals > 0 ? `${countOf(parked.refusals, 'resume attempt')} refused since` : undefined;
  const quiet = refused ?? (since ? undefined : 'no action since');
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

/** `a.brandt@desk (unverified)  approve: looks right`. */
export function actionWords({ who, identity, what, reason }: RunRecord['actions'][number]): string {
  const claimed = identity === undefined ? '' : ` (${identity === 'claimed' ? 'unverified' : identity})`;
  const why = reason === undefined ? '' : `: ${oneLine(reason)}`;
  return `${oneLine(who)}${claimed}  ${oneLine(what)}${why}`;
}
