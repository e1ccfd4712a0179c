import { oneLine } from '../../../model/text/plain-text';
import { shortRunId } from '../../../model/run/run-id';
import type { RunRecord } from '../../../model/run/run';
import type { Finding, Remark } from '../../../model/transfer/verification';
import type { Style } from '../../terminal/style';
import { countOf, listFirst, quoted, shortId } from '../../../model/text/words';
import { entriesOf, lengthOf } from '../../../service/run/run-view';

type Verification = NonNullable<RunRecord['verification']>;

const namedFindings = 10;
const namedRemarks = 5;

/** What was verified on the target, the findings, and what could not be checked. */
export function verificationBlock(verification: Verification, style: Style): string {
  const { colors } = style;
  const { checked, references, features, findings, notChecked, external } = verification;
  const lines = [
    `${colors.bold('VERIFIED')} ${countOf(checked, 'item')}, ${countOf(references, 'reference')}, ${countOf(features, 'feature')}`,
    `  ${found(lengthOf(findings), style)}`,
  ];
  const blocks = entriesOf(findings).map((each) => findingLines(each).join('\n    '));
  lines.push(...listFirst(blocks, namedFindings, lengthOf(findings)).map((block) => `    ${block}`));
  lines.push(...remarkLines('not checked', notChecked), ...remarkLines('external', external));
  return lines.join('\n');
}

function found(count: number, { colors }: Style): string {
  const words = countOf(count, 'finding');
  return count === 0 ? colors.green(words) : colors.red(words);
}

/** A finding in three lines: item and place, value, fix. */
export function findingLines({ itemId, title, kind, path, value, hint, foundBy }: Finding): string[] {
  const name = title === undefined ? oneLine(itemId) : `${quoted(title)}  ${shortId(itemId)}`;
  const shown = value === undefined ? [] : [`    ${oneLine(value)}`];
  const since = foundBy === undefined ? [] : [`    found by ${shortRunId(foundBy)}, unchanged since`];
  return [[name, kind, path].filter(Boolean).join('  '), ...shown, `    ${oneLine(hint)}`, ...since];
}

function remarkLines(label: string, list: Verification['external']): string[] {
  const count = lengthOf(list);
  if (count === 0) return [];
  const shown = listFirst(entriesOf(list).map(remarkWords), namedRemarks, count);
  return [`  ${count} ${label}`, ...shown.map((line) => `    ${line}`)];
}

const remarkWords = ({ itemId, path, value, reason }: Remark): string =>
  `${[shortId(itemId), path, value].filter(Boolean).map(String).map(oneLine).join('  ')}: ${oneLine(reason)}`;
