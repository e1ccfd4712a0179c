import { Command } from '@commander-js/extra-typings';
import { describe, expect, it } from '@jest/globals';
import { again, rememberTyped } from '../../../src/cli/terminal/typed-options';

/** `run list`, as it was typed. */
function typedList(...words: string[]) {
  const list = new Command('list')
    .argument('[name]')
    .option('--route <name>')
    .option('--tag <text>', 'more', (text: string, before: string[] = []) => [...before, text])
    .option('--no-wait')
    .option('--yes')
    .option('--config <file>')
    .option('-o, --output <format>');
  rememberTyped(list);
  new Command('portolan').addCommand(new Command('run').addCommand(list)).parse(words, { from: 'user' });
  return list;
}

describe('a command to type again', () => {
  it('has what was typed, quoted for a shell, then what is changed', () => {
    const list = typedList('run', 'list', "o'ne", '--route=a b', '--tag', 'x', '--tag', '$(y)', '--no-wait');
    expect(again(list, { yes: true })).toBe(
      `portolan run list 'o'\\''ne' --route 'a b' --tag x --tag '$(y)' --no-wait --yes`,
    );
    expect(again(list, { route: 'c', tag: undefined }, ['k7q2'])).toBe(
      'portolan run list k7q2 --no-wait --route c',
    );
  });

  it('repeats neither --config nor --output', () => {
    const list = typedList('run', 'list', '--config', 'other.yaml', '-o', 'json', '--yes');
    expect(again(list, { yes: true })).toBe('portolan run list --yes');
  });
});
