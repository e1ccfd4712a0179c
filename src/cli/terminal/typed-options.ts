import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import ms from 'ms';

/** A word quoted for a shell. */
export const typedWord = (word: string): string =>
  /^[\w.:/@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** `run approve`. */
export const typedName = (command: CommandUnknownOpts): string => {
  const above = command.parent;
  return above?.parent ? `${typedName(above)} ${command.name()}` : command.name();
};

/** Options of a command, by name. */
export type GivenOptions = Readonly<Record<string, string | boolean | undefined>>;

/** Options of a command that waits for a run. @param timeout milliseconds */
export const waitOptions = (given: { readonly wait: boolean; readonly timeout?: number }): GivenOptions => ({
  'no-wait': !given.wait,
  timeout: given.timeout === undefined ? undefined : durationText(given.timeout),
});

/** A duration in the largest exact unit: `90s`. */
function durationText(duration: number): string {
  const unit = (['d', 'h', 'm', 's'] as const).find((each) => duration % ms(`1${each}`) === 0) ?? 'ms';
  return `${duration / ms(`1${unit}`)}${unit}`;
}

/** Options as text to type again: flags, and names with values. */
export const optionsText = (options: GivenOptions): string =>
  Object.entries(options)
    .flatMap(([name, value]) => {
      if (value === undefined || value === false) return [];
      return value === true ? [` --${name}`] : [` --${name} ${typedWord(value)}`];
    })
    .join('');
