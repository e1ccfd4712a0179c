import { type Block, faint, notice, type Sheet, strong, type Value } from '../../model/text/sheet';
import { countWords, quoted } from '../../model/text/words';
import type { Change, FieldChange } from '../../model/transfer/change';
import { comparedWords } from '../../model/transfer/plan-summary';

/** An item of a plan or a comparison, and what changes inside it. */
export interface ChangedItem {
  readonly itemId: string;
  readonly type: string;
  readonly title: string;
  readonly change: Change;
}

/** What changes inside items, one block for each that is not the same. */
export const changeSheet = (items: readonly ChangedItem[]): Sheet =>
  items.filter(({ change }) => change.kind !== 'same').map(changeBlock);

/** `2 change, 1 is unknown, 16 are identical`; for the approval prompt, too. */
export function changeCounts(items: readonly Pick<ChangedItem, 'change'>[]): string {
  const count = (kind: Change['kind']): number => items.filter(({ change }) => change.kind === kind).length;
  return comparedWords({ changed: count('changed'), unknown: count('unknown'), same: count('same') });
}

/** Why an item is `unknown`, and what that means. */
export const notCompared = (why: string): string => `not compared, written like a change: ${why}`;

/** An item and its lines, such as `layer "Roads" visibility: on -> off`. */
function changeBlock({ title, type, change }: ChangedItem): Block {
  const { fields, more, why } = change;
  return {
    title: [strong(quoted(title)), faint(`  ${type}`)],
    lines: [
      ...(why === undefined ? [] : [notice(notCompared(why))]),
      ...fields.flatMap(fieldLines),
      ...(more === undefined ? [] : [faint(`and ${countWords(more)} more`)]),
    ],
  };
}

function fieldLines(field: FieldChange): Value[] {
  const { label, before = UNSET, after = UNSET } = field;
  const line = fieldLine(field);
  if (line.length <= LINE_MAX || line === label || isOneSided(field)) return [line];
  return [`${label}:`, faint(`  before  ${before}`), `  after   ${after}`];
}

/** A field on one line: `layer "Roads" visibility: on -> off`. */
export function fieldLine(field: FieldChange): string {
  const { label, before, after } = field;
  const value = after ?? before;
  if (value === undefined) return label;
  return isOneSided(field) ? `${label}: ${value}` : `${label}: ${before ?? UNSET} -> ${after ?? UNSET}`;
}

const UNSET = '(none)';
/** So much fits one line of a terminal. @format characters */
const LINE_MAX = 78;

/** Whether the label already says that there is nothing on the other side. */
export const isOneSided = ({ label }: FieldChange): boolean => / (added|removed)$/.test(label);
