import { PortolanError } from '../../model/errors/errors';
import { oneLine } from '../../model/text/plain-text';
import type { Output } from './output';

/** Whether there is a terminal to prompt at. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/**
 * Asks a yes-or-no question at the terminal.
 * @param refusal for whoever cannot be asked: what is missing, and what to type
 * @throws `USAGE` where nobody can be asked
 */
export async function askYes(
  message: string,
  refusal: { readonly what: string; readonly hint: string },
): Promise<boolean> {
  if (!canAsk()) throw new PortolanError('USAGE', refusal.what, { hint: refusal.hint });
  return (await yesOrNo(message)) === true;
}

/** Asks a yes-or-no question; undefined if the prompt was closed. */
export async function yesOrNo(message: string): Promise<boolean | undefined> {
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message: oneLine(message), initialValue: false, output: process.stderr });
  return isCancel(answer) ? undefined : answer;
}

/** A change that the user must confirm. */
export interface Confirmation {
  /** A sentence without its full stop: `--delete-created deletes items from production`. */
  readonly what: string;
  /** A yes-or-no question. */
  readonly question: string;
}

/**
 * Confirms a deletion on a portal twice: with a yes, and with the typed portal name. Scripts pass the name instead.
 * Returns false if the user declines. Throws `USAGE` if there is no terminal.
 */
export async function confirmTwice(
  portal: string,
  given: string | undefined,
  output: Output,
  { what, question }: Confirmation,
): Promise<boolean> {
  if (given === portal) return true;
  const refusal = {
    what: `${what}. This needs confirmation; nothing was done.`,
    hint: `Add --yes-delete ${portal}`,
  };
  if (given !== undefined) throw new PortolanError('USAGE', refusal.what, { hint: refusal.hint });
  const yes = await askYes(question, refusal);
  if (yes && (await line(`Type "${portal}" to confirm.`)) === portal) return true;
  output.note('Nothing was done.');
  return false;
}

/** An option of a prompt. */
export interface Choice<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

/** Asks for one of several options. @returns undefined if the prompt was closed */
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

async function typed(kind: 'text' | 'password', message: string): Promise<string | undefined> {
  const prompts = await import('@clack/prompts');
  const answer = await prompts[kind]({ message: oneLine(message), output: process.stderr });
  return prompts.isCancel(answer) ? undefined : (answer ?? '');
}

/** Asks for a line of text, which may be empty; undefined if the prompt was closed. */
export const line = async (message: string): Promise<string | undefined> =>
  (await typed('text', message))?.trim();

/** Asks until a text is typed. Throws `USAGE` if there is no terminal or the prompt is closed. */
export const askText = (message: string, flag: string): Promise<string> =>
  insisting(flag, () => line(message));

/** Asks until a secret is typed, without echo. */
export const askSecret = (message: string, flag: string): Promise<string> =>
  insisting(flag, () => typed('password', message));

/** Asks until one option is chosen. */
export const choose = (message: string, choices: readonly Choice[], flag: string): Promise<string> =>
  insisting(flag, () => choice(message, choices), true);

async function insisting(
  flag: string,
  ask: () => Promise<string | undefined>,
  mayBeEmpty = false,
): Promise<string> {
  if (!canAsk())
    throw new PortolanError('USAGE', `There is no terminal to prompt at, and this is missing: ${flag}`, {
      hint: 'Add it, or run the command at a terminal.',
    });
  for (;;) {
    const answer = await ask();
    if (answer === undefined)
      throw new PortolanError('USAGE', 'The prompt was closed; nothing was done.', {
        hint: `To answer without a prompt: ${flag}`,
      });
    if (answer !== '' || mayBeEmpty) return answer;
  }
}
