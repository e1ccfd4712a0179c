import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { shellWord } from '../../model/text/words';

/** `run approve`. */
export const typedName = (command: CommandUnknownOpts): string => {
  const above = command.parent;
  return above?.parent ? `${typedName(above)} ${command.name()}` : command.name();
};

/** Options and what was typed for each. */
type Typed = [name: string, value: string | true][];

const typed = new WeakMap<CommandUnknownOpts, Typed>();

/** Remembers the options of a command as they are typed, for `again`. */
export function rememberTyped(command: CommandUnknownOpts): void {
  const options: Typed = [];
  typed.set(command, options);
  for (const option of command.options) {
    const name = option.name();
    command.on(`option:${name}`, (value?: string | null) => void options.push([name, value ?? true]));
  }
}

/** A file is added to every command that is shown, and a format concerns this output. */
const notRepeated: ReadonlySet<string> = new Set(['config', 'output']);

/**
 * The command as it was typed, to be typed again.
 * @param changes options to add or change, by name; undefined leaves one out
 * @param names instead of the typed arguments
 */
export function again(
  command: CommandUnknownOpts,
  changes: Readonly<Record<string, string | true | undefined>>,
  names: readonly string[] = command.args,
): string {
  const kept = (typed.get(command) ?? []).filter(([name]) => !(name in changes) && !notRepeated.has(name));
  const options = [...kept, ...Object.entries(changes)].flatMap(([name, value]) => {
    if (value === undefined) return [];
    return value === true ? [`--${name}`] : [`--${name} ${shellWord(value)}`];
  });
  return ['portolan', typedName(command), ...names.map(shellWord), ...options].join(' ');
}
