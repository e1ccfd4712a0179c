import type { FieldChange } from '../../model/run/run';
import type { Output } from '../terminal/output';
import { askYes } from '../terminal/prompts';
import { differencesTable } from '../run/render/differences';

/**
 * Shows the changes and asks for confirmation; does neither if nothing changes. Returns false, with a note, if the
 * user declines. Throws `USAGE` if there is no terminal.
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
