import { describe, expect, it } from '@jest/globals';
import pc from 'picocolors';
import { asCalled, setCommandWords, setTypedConfig } from '../../../src/cli/terminal/command-name';
import { plainStyle } from '../../../src/cli/terminal/style';
import { fittingText } from '../../../src/cli/terminal/wrapped-text';

setCommandWords(['run approve', 'run restart', 'sync']);

const commands = [
  'portolan run approve k7q2 --plan 0123456789ab',
  `portolan run restart k7q2 --from guard --yes --request-id night-7 --reason 'a night of work'`,
  'npx portolan sync --config other.yaml transport --exclude e0000000000000000000000000000001,e0000000000000000000000000000002',
];
const lines = [
  'error CREDENTIALS_REFUSED  The portal "production" at https://gis.example.com/portal/sharing/rest refuses the user and the password that portolan.yaml names for it.',
  '  Look at what the portal says of the account, and whether it may sign in by password; then type it again.',
  'warning  what earlier runs came to is not known: the store at /var/lib/portolan/store cannot be read by this account',
  ...commands.map((command) => `next     ${command}`),
  `  Go on with it: ${commands[0]}, or end it with a reason that the record keeps: ${commands[1]}`,
];

/** Words and the commands between them, in the order in which they are read. */
const read = (text: string) => text.split(/\s+/).filter(Boolean).join(' ');

describe('a line for people', () => {
  it.each([60, 80, 120])('wraps at words in a terminal of %d columns', (width) => {
    const text = fittingText(lines.join('\n'), { ...plainStyle, width });
    const tooLong = text.split('\n').filter((line) => line.length > width);
    // Only commands are longer, each on a line of its own.
    expect(tooLong.filter((line) => !commands.some((command) => line.includes(command)))).toEqual([]);
    expect(
      tooLong.map((line) => line.trim().replace(/^next {5}/, '')).filter((line) => !commands.includes(line)),
    ).toEqual([]);
    expect(read(text)).toBe(read(lines.join(' ')));
    for (const command of commands) expect(text).toContain(command);
    expect(fittingText(lines[2] ?? '', { ...plainStyle, width: 60 })).toBe(
      'warning  what earlier runs came to is not known: the store\n         at /var/lib/portolan/store cannot be read by this\n         account',
    );
  });

  it('keeps a command whole after a colored label, as it was called', () => {
    const colors = pc.createColors(true);
    setTypedConfig('other.yaml');
    const text = asCalled(`${colors.dim('next     ')}portolan run approve k7q2 --plan 0123456789ab`);
    setTypedConfig(undefined);
    expect(text).toContain('portolan run approve --config other.yaml k7q2 --plan 0123456789ab');
    expect(fittingText(text, { colors, width: 40 })).toBe(text);
  });

  it('is not wrapped without a terminal', () => {
    expect(fittingText(lines.join('\n'), plainStyle)).toBe(lines.join('\n'));
  });
});
