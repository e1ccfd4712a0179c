import { oneLine } from '../../../model/text/plain-text';
import type { Style } from '../../terminal/style';
import { countOf } from '../../../model/text/words';
import { labelled } from '../../terminal/columns';
import type { StoryView } from '../promotion-story-view';

/** Summary of what happened on production. */
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
        ['refused', `${first?.release}, before its soak of ${soakMs / 1000} s on staging`],
        ['promoted', `${first?.release}: started by ${first?.who}, approved by ${first?.approvedBy}`],
        ['reverted', `${last?.release}, automatically, because a check failed:`],
        ...saw.map((line): [string, string] => ['', colors.red(oneLine(line))]),
        [
          'now',
          differences.length === 0
            ? colors.green(
                `unchanged: ${facts} about items, data, rows, owners, folders, sharing and settings compared, no difference`,
              )
            : colors.red(`changed: ${facts} compared, these differ`),
        ],
        ...differences.map((line): [string, string] => ['', colors.red(oneLine(line))]),
      ],
      style,
    ),
  ].join('\n');
}
