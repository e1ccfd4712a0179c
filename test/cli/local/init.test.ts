import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadConfig } from '../../../src/config/load-config';
import { transportGroupId, transportTargetGroupId } from '../../../src/simulator/seed/transport';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator';
import { expectEnd, expectRefused, inProcess } from '../../support/in-process';
import { aFolder } from '../../support/folder';

const folder = aFolder();
let portals: readonly [Simulator, Simulator];

beforeAll(async () => {
  writeFileSync(path.join(folder, 'password'), 'owner-pw\n');
  writeFileSync(path.join(folder, 'wrong'), 'planted-secret\n');
  const portal = (name: string, seed: string) =>
    startSimulator({ name, version: '11.4', seed, state: path.join(folder, name) });
  portals = await Promise.all([portal('staging', 'transport'), portal('production', 'transport-target')]);
});
afterAll(() => Promise.all(portals.map((portal) => portal.close())));

const file = (name: string) => path.join(folder, name);
/** As copied from a browser. */
const address = ({ url }: Simulator) => url.replace('/sharing/rest', '/home/');
const init = (name: string, ...args: string[]) => inProcess(['init', '--config', file(name), ...args]);
const ends = (password: string) => [
  ...['--from', address(portals[0]), '--to', address(portals[1])],
  ...['--user', 'owner', '--password', `file:${password}`],
];

describe('init', () => {
  it('writes a configuration of two portals and their groups, without secrets', async () => {
    const ended = await expectEnd(
      init('first.yaml', ...ends('password'), '--group', 'Transport', '--into', 'Transport'),
      0,
      '13 items in the source group, 3 already in the target group\n',
    );
    const { routes } = loadConfig(file('first.yaml'));
    expect(routes.get('transport')).toMatchObject({
      source: { portal: 'source', group: transportGroupId },
      target: { portal: 'target', group: transportTargetGroupId },
    });
    const written = readFileSync(file('first.yaml'), 'utf8');
    expect(written).not.toContain('owner-pw');
    expect(written.match(/password: \{ file: password \}/g)).toHaveLength(2);
    expect(ended.stderr).toContain(`next     portolan up --config ${file('first.yaml')} --detach\n`);
  });

  it('leaves an existing file unchanged', async () => {
    writeFileSync(file('mine.yaml'), 'mine');
    expect(await init('mine.yaml', ...ends('password'))).toMatchObject({
      status: 2,
      stderr: `error USAGE  ${file('mine.yaml')} already exists and was not changed.\n  Choose another file with --config FILE, or overwrite this one with --force.\n`,
    });
    expect(readFileSync(file('mine.yaml'), 'utf8')).toBe('mine');
  });

  it.each([
    [
      ['--user', 'owner'],
      2,
      /^error USAGE {2}There is no terminal to prompt at, and this is missing: --from URL\n/,
    ],
    [['--from', 'ftp://x'], 2, /^error USAGE {2}"ftp:\/\/x" must begin with https:\/\/\.\n/],
    [['--password', 'planted'], 2, /Write env:NAME, file:PATH or command:PROGRAM/],
  ])('names what is missing if no one can be asked: %j', async (args, status, words) => {
    await expectRefused(init('none.yaml', ...args), status, words);
  });

  it('writes nothing if a portal refuses the sign-in or lacks the group', async () => {
    const refused = await expectEnd(init('none.yaml', ...ends('wrong'), '--group', 'Transport'), 12);
    expect(refused.stderr).not.toContain('planted-secret');
    await expectEnd(
      init('none.yaml', ...ends('password'), '--group', 'Transprt'),
      10,
      'The groups of the account are "Transport".',
    );
    expect(existsSync(file('none.yaml'))).toBe(false);
  });
});
