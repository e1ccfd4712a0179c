import { oneLine } from '../../../model/text/plain-text';
import { shortRunId } from '../../../model/run/run-id';
import type { RunRecord } from '../../../model/run/run';
import type { Finding, Remark } from '../../../model/transfer/verification';
import type { Style } from '../../terminal/style';
import { countOf, quoted, shortId } from '../../../model/text/words';
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
  lines.push(...entriesOf(findings).slice(0, namedFindings).flatMap(findingLines));
  if (lengthOf(findings) > namedFindings) lines.push(`    and ${lengthOf(findings) - namedFindings} more`);
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
  const shown = value === undefined ? [] : [`        ${oneLine(value)}`];
  const since = foundBy === undefined ? [] : [`        found by ${shortRunId(foundBy)}, unchanged since`];
  return [
    `    ${[name, kind, path].filter(Boolean).join('  ')}`,
    ...shown,
    `        ${oneLine(hint)}`,
    ...since,
  ];
}

function remarkLines(label: string, list: Verification['external']): string[] {
  const count = lengthOf(list);
  if (count === 0) return [];
  const shown = entriesOf(list).slice(0, namedRemarks).map(remarkWords);
  const rest = count > shown.length ? [`    and ${count - shown.length} more`] : [];
  return [`  ${count} ${label}`, ...shown, ...rest];
}

const remarkWords = ({ itemId, path, value, reason }: Remark): string =>
  `    ${[shortId(itemId), path, value].filter(Boolean).map(String).map(oneLine).join('  ')}: ${oneLine(reason)}`;
