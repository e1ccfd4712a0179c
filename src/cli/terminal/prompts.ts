import { PortolanError } from '../../model/errors/errors';
import { oneLine } from '../../model/text/plain-text';
import type * as Prompts from '@clack/prompts';
import type { Output } from './output';

/** Whether there is a person who can be asked. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/**
 * Asks the person at the terminal for a yes; where none is there, nothing can be begun.
 * @param refusal for whoever cannot be asked: what is missing, and what to type
 * @throws `USAGE` where nobody can be asked
 */
export async function askYes(
  message: string,
  refusal: { readonly what: string; readonly hint: string },
): Promise<boolean> {
  if (!canAsk()) throw new PortolanError('USAGE', refusal.what, { hint: refusal.hint });
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message: oneLine(message), initialValue: false, output: process.stderr });
  return !isCancel(answer) && answer;
}

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
  const refusal = { what: `${what}, and nobody has confirmed that.`, hint: `Add --yes-delete ${portal}` };
  if (given !== undefined) throw new PortolanError('USAGE', refusal.what, { hint: refusal.hint });
  const yes = await askYes(question, refusal);
  const { isCancel, text } = await import('@clack/prompts');
  const typed = yes ? await text({ message: `Type "${portal}" to go on.`, output: process.stderr }) : '';
  if (!isCancel(typed) && typed?.trim() === portal) return true;
  output.note('Nothing was done.');
  return false;
}

/** Asks for a line of text. Throws `USAGE` where nobody can be asked, or nobody answers. */
export const askText = (message: string, flag: string): Promise<string> =>
  asked(flag, async ({ text }) => await text({ message, output: process.stderr, validate: notEmpty }));

/** The same for what must not be seen. */
export const askSecret = (message: string, flag: string): Promise<string> =>
  asked(
    flag,
    async ({ password }) => await password({ message, output: process.stderr, validate: notEmpty }),
  );

/** Asks for one of several; returns its value. */
export const choose = (
  message: string,
  options: readonly { readonly value: string; readonly label: string; readonly hint?: string }[],
  flag: string,
): Promise<string> =>
  asked(flag, async ({ select }) => {
    const shown = options.map(({ value, label, hint = '' }) => ({
      value,
      label: oneLine(label),
      hint: oneLine(hint),
    }));
    return await select({ message, options: shown, output: process.stderr });
  });

const notEmpty = (given: string | undefined): string | undefined =>
  given?.trim() ? undefined : 'An answer is needed; Ctrl-C leaves without one.';

async function asked(
  flag: string,
  ask: (prompts: typeof Prompts) => Promise<string | symbol>,
): Promise<string> {
  if (!canAsk())
    throw new PortolanError('USAGE', `Nobody is there to be asked, and this is missing: ${flag}`, {
      hint: 'Say it on the command line, or type the command at a terminal.',
    });
  const prompts = await import('@clack/prompts');
  const answer = await ask(prompts);
  if (typeof answer === 'string') return answer.trim();
  throw new PortolanError('USAGE', 'It was left without an answer; nothing was done.', {
    hint: `Say it on the command line: ${flag}`,
  });
}
