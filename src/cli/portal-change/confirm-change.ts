import type { FieldChange } from '../../model/run/run';
import type { Output } from '../terminal/output';
import { askYes } from '../terminal/prompts';
import { differencesTable } from '../run/render/differences';

/**
 * Shows what would change on a portal, and asks; where nothing would, it does neither. Returns false where somebody
 * at the terminal said no, which is told. Throws `USAGE` where nobody can be asked.
 *
 * @param yes `--yes`: nobody is asked
 */
export async function agreeToChange(
  portal: string,
  changes: readonly FieldChange[],
  { question, yes }: { readonly question: string; readonly yes?: boolean },
  output: Output,
): Promise<boolean> {
  if (changes.length === 0) return true;
  output.before((style) => differencesTable(changes, style));
  const answer =
    yes ??
    (await askYes(question, {
      what: `This needs confirmation; ${portal} is unchanged.`,
      hint: 'Add --yes, or run the command at a terminal.',
    }));
  if (!answer) output.note('Nothing was changed.');
  return answer;
}
