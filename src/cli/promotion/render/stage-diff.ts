import type { StageDiff, StageDiffRow } from '../../../domain/release/stage-diff';
import { jsonText, oneLine, shortened } from '../../../model/text/plain-text';
import { mappedWords } from '../../run/render/plan';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { countOf } from '../../../model/text/words';

/** What a release would change on a stage: items, then values, then mapped references. */
export function stageDiffTable(diff: StageDiff, style: Style): string {
  const { pipeline, stage, release, stands, rows, settings = [], categories = [], mapped } = diff;
  const differing = rows.filter(({ difference, drifted }) => difference !== 'same' || drifted);
  const same = rows.length - differing.length;
  const values = [...settings, ...categories];
  return [
    `${pipeline}/${stage}: ${stands ?? 'nothing'} -> ${release}`,
    ...(differing.length === 0
      ? []
      : [
          columns(
            ['DIFFERENCE', 'GROUP', 'TITLE', 'TYPE', 'ITEM'],
            differing.map((row) => [
              paint(row, style),
              ...[row.group, row.title, row.type, row.itemId].map(oneLine),
            ]),
            style,
          ),
        ]),
    ...(values.length === 0
      ? []
      : [
          columns(
            ['VALUE', 'STAGE', 'RELEASE'],
            values.map(({ path, before, after }) => [oneLine(path), valueWords(before), valueWords(after)]),
            style,
          ),
        ]),
    ...(mapped ? [mappedWords(mapped, style).join('\n')] : []),
    `${countOf(same, 'item')} unchanged`,
  ].join('\n\n');
}

function paint({ difference, drifted }: StageDiffRow, { colors }: Style): string {
  const words = drifted ? `${difference}, drifted` : difference;
  switch (difference) {
    case 'new':
      return colors.green(words);
    case 'changed':
      return colors.yellow(words);
    case 'same':
    case 'extra':
      return drifted ? colors.yellow(words) : words;
  }
}

const valueWords = (value: unknown): string =>
  value === undefined ? '-' : oneLine(shortened(jsonText(value), 60));
