import { PortolanError } from '../../model/errors/errors';
import { oneLine } from '../../model/text/plain-text';
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
  const typed = yes ? await text({ message: `Type "${portal}" to confirm.`, output: process.stderr }) : '';
  if (!isCancel(typed) && typed?.trim() === portal) return true;
  output.note('Nothing was done.');
  return false;
}

/** One of several answers. */
export interface Choice<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

/** Asks for one of several; undefined where the person left without an answer. */
export async function choice<Value extends string>(
  message: string,
  choices: readonly Choice<Value>[],
): Promise<Value | undefined> {
  const { select } = await import('@clack/prompts');
  const options: (Choice & { hint: string })[] = choices.map(({ value, label, hint = '' }) => ({
    value,
    label: oneLine(label),
    hint: oneLine(hint),
  }));
  const answer = await select({ message: oneLine(message), options, output: process.stderr });
  return choices.find(({ value }) => value === answer)?.value;
}

/** Asks for a line of text, which may be empty; undefined where the person left without an answer. */
export async function line(message: string): Promise<string | undefined> {
  const { isCancel, text } = await import('@clack/prompts');
  const answer = await text({ message: oneLine(message), output: process.stderr });
  return isCancel(answer) ? undefined : (answer ?? '').trim();
}

/** The same of what must not be seen. */
async function secretLine(message: string): Promise<string | undefined> {
  const { isCancel, password } = await import('@clack/prompts');
  const answer = await password({ message: oneLine(message), output: process.stderr });
  return isCancel(answer) ? undefined : answer;
}

/** Asks for a text until there is one. Throws `USAGE` where nobody can be asked, or the person leaves. */
export const askText = (message: string, flag: string): Promise<string> =>
  insisting(flag, () => line(message));

/** The same for what must not be seen. */
export const askSecret = (message: string, flag: string): Promise<string> =>
  insisting(flag, () => secretLine(message));

/** The same for one of several. */
export const choose = (message: string, choices: readonly Choice[], flag: string): Promise<string> =>
  insisting(flag, () => choice(message, choices), true);

async function insisting(
  flag: string,
  ask: () => Promise<string | undefined>,
  mayBeEmpty = false,
): Promise<string> {
  if (!canAsk())
    throw new PortolanError('USAGE', `Nobody is there to be asked, and this is missing: ${flag}`, {
      hint: 'Say it on the command line, or type the command at a terminal.',
    });
  for (;;) {
    const answer = await ask();
    if (answer === undefined)
      throw new PortolanError('USAGE', 'It was left without an answer; nothing was done.', {
        hint: `Say it on the command line: ${flag}`,
      });
    if (answer !== '' || mayBeEmpty) return answer;
  }
}
