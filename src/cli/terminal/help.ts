import type { AddHelpTextContext, CommandUnknownOpts, Help } from '@commander-js/extra-typings';
import { typedName } from './typed-options';

/** The first sentence of a command's description, for lists of commands. */
export const summaryOf = (command: CommandUnknownOpts): string =>
  (command.description().split('\n')[0] ?? '').replace(/\.$/, '');

/** Values are shown in capitals, as in the guides: `--plan HASH`. */
export const helpConfiguration: Partial<Help> = {
  commandUsage: usageOf,
  subcommandTerm: (command) => command.name(),
  subcommandDescription: summaryOf,
  optionTerm: ({ flags }) => inCapitals(flags),
  argumentTerm: (argument) => argument.name().toUpperCase(),
};

const inCapitals = (flags: string): string =>
  flags.replace(/<([^>]+)>/g, (_, value: string) => value.toUpperCase());

/** `portolan run approve RUN --plan HASH [options]` */
function usageOf(command: CommandUnknownOpts): string {
  const names = command.parent ? `portolan ${typedName(command)}` : command.name();
  if (command.commands.length > 0) return `${names} ${command.usage()}`;
  const values = command.registeredArguments.map((argument) => {
    const value = `${argument.name().toUpperCase()}${argument.variadic ? '...' : ''}`;
    return argument.required ? value : `[${value}]`;
  });
  const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => inCapitals(flags));
  return [names, ...values, ...required, '[options]'].join(' ');
}

/** Examples below the help of a command, each without `portolan` and the words of the command. */
export const examples = (...typed: readonly [string, ...string[]]) =>
  [
    'after',
    ({ command }: AddHelpTextContext): string => {
      const lines = typed.map((rest) => `  portolan ${typedName(command)} ${rest}`.trimEnd());
      return ['', lines.length === 1 ? 'Example:' : 'Examples:', ...lines].join('\n');
    },
  ] as const;
