import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { summaryOf } from '../terminal/help';

/** A suggestion and its description. */
export interface Suggestion {
  readonly word: string;
  readonly what: string;
}

/** Names that can be suggested, besides commands and flags. */
export const namedThings = [
  'route',
  'run',
  'snapshot',
  'schedule',
  'portal',
  'queue',
  'pipeline',
  'rule',
  'release',
] as const;
export type NamedThing = (typeof namedThings)[number];

/** Looks up names; `config` is the file that the line names. */
export type LookUp = (thing: NamedThing, config: string | undefined) => Promise<readonly Suggestion[]>;

/** By the names of arguments and of options that are called otherwise. */
const things: Readonly<Record<string, NamedThing>> = {
  ...Object.fromEntries(namedThings.map((thing) => [thing, thing])),
  snapshots: 'snapshot',
  before: 'snapshot',
  after: 'snapshot',
  earlier: 'release',
  later: 'release',
  from: 'portal',
  to: 'portal',
};

/**
 * Suggestions for the word being typed. Empty if a file is expected, because shells complete files themselves.
 * @param words behind `portolan`, the last of which is not finished and may be empty
 */
export async function suggestionsFor(
  program: CommandUnknownOpts,
  words: readonly string[],
  lookUp: LookUp,
): Promise<readonly Suggestion[]> {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const { command, args, open } = placeOf(program, before);
  const config = before[before.lastIndexOf('--config') + 1];
  const look = (name: string): Promise<readonly Suggestion[]> => {
    const thing = things[name];
    return thing === undefined
      ? Promise.resolve([])
      : lookUp(thing, before.includes('--config') ? config : undefined);
  };
  const fitting = (all: readonly Suggestion[]): readonly Suggestion[] =>
    all.filter(({ word }) => word.startsWith(typed));

  if (open?.flags.includes('<file>')) return [];
  if (open !== undefined) return fitting(open.argChoices?.map(plain) ?? (await look(open.name())));
  if (typed.startsWith('-'))
    return fitting(
      command.options.map(({ long, flags, description }) => ({ word: long ?? flags, what: description })),
    );
  if (command.commands.length > 0)
    return fitting(command.commands.map((below) => ({ word: below.name(), what: summaryOf(below) })));
  const declared = command.registeredArguments;
  const argument = declared[args] ?? (declared.at(-1)?.variadic ? declared.at(-1) : undefined);
  return argument === undefined
    ? []
    : fitting(argument.argChoices?.map(plain) ?? (await look(argument.name())));
}

const plain = (word: string): Suggestion => ({ word, what: '' });

/** The command the words have reached, its number of arguments so far, and the option that still needs a value. */
function placeOf(
  program: CommandUnknownOpts,
  words: readonly string[],
): { command: CommandUnknownOpts; args: number; open?: CommandUnknownOpts['options'][number] } {
  let command = program;
  let args = 0;
  let open: CommandUnknownOpts['options'][number] | undefined;
  for (const word of words) {
    if (open !== undefined) open = undefined;
    else if (word.startsWith('-')) {
      const option = command.options.find(({ long, short }) => long === word || short === word);
      open = option?.required ? option : undefined;
    } else {
      const below = command.commands.find((each) => each.name() === word);
      if (below === undefined) args += 1;
      else command = below;
    }
  }
  return { command, args, open };
}
