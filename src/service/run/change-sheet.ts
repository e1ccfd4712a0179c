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
  const { label, before, after } = field;
  if (before === undefined && after === undefined) return [label];
  if (isOneSided(field)) return [`${label}: ${after ?? before}`];
  const [old, next] = [before ?? UNSET, after ?? UNSET];
  if (`${label}${old}${next}`.length > LINE_MAX)
    return [`${label}:`, faint(`  before  ${old}`), `  after   ${next}`];
  return [[`${label}: `, faint(old), ` -> ${next}`]];
}

const UNSET = '(none)';
/** So much of a label and its two values fits one line of a terminal. @format characters */
const LINE_MAX = 72;

/** Whether the label already says that there is nothing on the other side. */
export const isOneSided = ({ label }: FieldChange): boolean => / (added|removed)$/.test(label);
