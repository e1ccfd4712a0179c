import { jsonText, oneLine, shortened } from '../../../model/text/plain-text';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { countWords } from '../../../model/text/words';
import type { ReleaseDiffView } from '../../../service/release/release-view';

/** What differs: each group, the items of those that changed, and each value of settings and categories. */
export function releaseDiffTable(comparison: ReleaseDiffView, style: Style): string {
  const { before, after, groups, settings = [], categories = [] } = comparison;
  const items = groups.flatMap(({ name, items: all = [] }) =>
    all.filter(({ difference }) => difference !== 'same').map((item) => ({ name, ...item })),
  );
  const values = [...settings, ...categories];
  return [
    `${before} -> ${after}`,
    columns(
      ['GROUP', 'DIFFERENCE', 'ADDED', 'CHANGED', 'REMOVED', 'SAME'],
      groups.map(({ name, difference, counts }) => [
        name,
        difference,
        ...(['added', 'changed', 'removed', 'same'] as const).map((each) =>
          counts ? countWords(counts[each]) : '-',
        ),
      ]),
      style,
    ),
    ...(items.length === 0
      ? []
      : [
          columns(
            ['GROUP', 'DIFFERENCE', 'ITEM', 'TYPE', 'TITLE'],
            items.map(({ name, difference, itemId, type, title }) =>
              [name, difference, itemId, type, title].map(oneLine),
            ),
            style,
          ),
        ]),
    ...(values.length === 0
      ? []
      : [
          columns(
            ['VALUE', 'BEFORE', 'AFTER'],
            values.map(({ path, before: was, after: is }) => [
              oneLine(path),
              valueWords(was),
              valueWords(is),
            ]),
            style,
          ),
        ]),
  ].join('\n\n');
}

const valueWords = (value: unknown): string =>
  value === undefined ? '-' : oneLine(shortened(jsonText(value), 60));
