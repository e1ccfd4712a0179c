import { PortolanError } from '../../model/errors/errors';
import { canAsk } from '../run/ask-approval';
import type { Output } from './output';

/** What somebody is asked to confirm. */
export interface Confirmation {
  /** A sentence without its end: `That removes items from production`. */
  readonly what: string;
  /** For a yes or a no. */
  readonly question: string;
}

/**
 * Asks twice before something is taken away from a portal: once for a yes, once for the portal's name. A script gives
 * the name instead. Returns false where somebody at the terminal said no. Throws `USAGE` where nobody can be asked.
 */
export async function confirmTwice(
  portal: string,
  given: string | undefined,
  output: Output,
  { what, question }: Confirmation,
): Promise<boolean> {
  if (given === portal) return true;
  if (given !== undefined || !canAsk()) {
    throw new PortolanError('USAGE', `${what}, and nobody has confirmed that.`, {
      hint: `Add --yes-delete ${portal}`,
    });
  }
  const { confirm, isCancel, text } = await import('@clack/prompts');
  const yes = await confirm({ message: question, initialValue: false, output: process.stderr });
  const typed =
    yes === true ? await text({ message: `Type "${portal}" to go on.`, output: process.stderr }) : '';
  if (!isCancel(typed) && typed?.trim() === portal) return true;
  output.note('Nothing was done.');
  return false;
}
