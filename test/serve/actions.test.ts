import { describe, expect, it } from '@jest/globals';
import { contract } from '../../src/contract/contract';
import { actions, type PageAction } from '../../src/serve/page/actions/table';
import { commands } from '../docs/commands';

describe.each(Object.entries<PageAction>(actions))('the form %s', (_id, action) => {
  const { operation, at, command, hidden = [], always = {}, fields } = action;

  it('sends what its operation takes', () => {
    const taken = Object.keys(contract[operation].input.shape);
    const inPath = [...at.matchAll(/:(\w+)/g)].map(([, name]) => name);
    // The name of the portal confirms; the route only leads back to its page.
    const others = ['portal', 'route'];
    const sent = [...inPath, ...hidden, ...Object.keys(always), ...Object.keys(fields)];
    expect([...taken, ...others]).toEqual(expect.arrayContaining(sent));
  });

  it('shows a command that exists, with its options', () => {
    const typed = command.replace('portolan promote :', 'portolan promote start :');
    const [name] = /^portolan [a-z ]*[a-z]/.exec(typed) ?? [];
    const options = [typed, ...Object.values(fields).map(({ option = '' }) => option)].join(' ');
    const { flags } = commands.find(({ path }) => path === name) ?? { flags: [] };
    expect(flags).toEqual(expect.arrayContaining(options.match(/--[\w-]+/g) ?? []));
    expect(flags).not.toEqual([]);
  });
});
