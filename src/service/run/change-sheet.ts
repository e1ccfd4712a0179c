import { type Block, faint, notice, type Sheet, strong, type Value } from '../../model/text/sheet';
import { countWords, quoted } from '../../model/text/words';
import type { Change, FieldChange } from '../../model/transfer/change';

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
  const [changed, unknown, same] = [count('changed'), count('unknown'), count('same')];
  const is = (number: number): string => (number === 1 ? 'is' : 'are');
  return [
    ...(changed > 0 ? [`${countWords(changed)} ${changed === 1 ? 'changes' : 'change'}`] : []),
    ...(unknown > 0 ? [`${countWords(unknown)} ${is(unknown)} unknown`] : []),
    ...(same > 0 ? [`${countWords(same)} ${is(same)} identical`] : []),
  ].join(', ');
}

/** An item and its lines, such as `layer "Roads" visibility: on -> off`. */
function changeBlock({ title, type, change }: ChangedItem): Block {
  const { fields, more, why } = change;
  return {
    title: [strong(quoted(title)), faint(`  ${type}`)],
    lines: [
      ...(why === undefined ? [] : [notice(`unknown: ${why}`)]),
      ...fields.map(fieldLine),
      ...(more === undefined ? [] : [faint(`and ${countWords(more)} more`)]),
    ],
  };
}

function fieldLine(field: FieldChange): Value {
  const { label, before, after } = field;
  if (before === undefined && after === undefined) return label;
  if (isOneSided(field)) return `${label}: ${after ?? before}`;
  return [`${label}: `, faint(before ?? '-'), ` -> ${after ?? '-'}`];
}

/** Whether the label already says that there is nothing on the other side. */
export const isOneSided = ({ label }: FieldChange): boolean => / (added|removed)$/.test(label);
