import { oneLine } from '../../../model/text/plain-text';
import type { Style } from '../../terminal/style';
import { countOf } from '../../../model/text/words';
import { labelled } from '../../terminal/columns';
import type { StoryView } from '../promotion-story-view';

/** What has happened on production, in a few lines. */
export function promotionStory(
  { history, failed, soakMs, compared, differences }: StoryView,
  style: Style,
): string {
  const { colors } = style;
  const [first] = history;
  const last = history.at(-1);
  const saw = failed.flatMap(({ output }) => (output.stderr ?? '').split('\n')).filter((line) => line !== '');
  const facts = countOf(compared, 'fact');
  return [
    colors.bold('WHAT HAPPENED ON PRODUCTION'),
    ...labelled(
      [
        ['refused', `${first?.release}, until it had stood on staging for ${soakMs / 1000} s`],
        ['took', `${first?.release}: started by ${first?.who}, approved by ${first?.approvedBy}`],
        ['undid', `${last?.release}, by itself, since a check failed:`],
        ...saw.map((line): [string, string] => ['', colors.red(oneLine(line))]),
        [
          'now',
          differences.length === 0
            ? colors.green(
                `it is what it was: of ${facts} about items, data, rows, owners, folders, sharing and settings none differs`,
              )
            : colors.red(`it is not what it was: of ${facts} these differ`),
        ],
        ...differences.map((line): [string, string] => ['', colors.red(oneLine(line))]),
      ],
      style,
    ),
  ].join('\n');
}
