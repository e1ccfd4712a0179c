import { PortolanError } from '../model/errors';
import { canAsk } from './ask-approval';
import type { Output } from './output';

/**
 * Asks twice before items are removed: once for a yes, once for the portal's name. A script gives the name instead.
 * Returns false where somebody at the terminal said no. Throws `USAGE` where nobody can be asked.
 */
export async function confirmTwice(
  portal: string,
  given: string | undefined,
  output: Output,
): Promise<boolean> {
  if (given === portal) return true;
  if (given !== undefined || !canAsk()) {
    throw new PortolanError(
      'USAGE',
      `--delete-created removes items from ${portal}, and nobody has confirmed that.`,
      {
        hint: `Add --yes-delete ${portal}`,
      },
    );
  }
  const { confirm, isCancel, text } = await import('@clack/prompts');
  const yes = await confirm({
    message: `Remove from ${portal} what the run had created?`,
    initialValue: false,
    output: process.stderr,
  });
  const typed =
    yes === true ? await text({ message: `Type "${portal}" to go on.`, output: process.stderr }) : '';
  if (!isCancel(typed) && typed?.trim() === portal) return true;
  output.note('Nothing was done.');
  return false;
}
