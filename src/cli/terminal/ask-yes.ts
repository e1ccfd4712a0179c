import { canAsk } from '../run/ask-approval';

/** Asks the person at the terminal; undefined where there is none. */
export async function askYes(message: string): Promise<boolean | undefined> {
  if (!canAsk()) return undefined;
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message, initialValue: false, output: process.stderr });
  return !isCancel(answer) && answer;
}
