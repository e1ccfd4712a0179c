import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { aConfig, problemsOf as problemsOfConfig } from '../support/config';
import { aFolder } from '../support/folder';
import { keyMarksOf, readEncryptionKeys } from '../../src/config/temporal/encryption-keys';
import { requireSharedKeys } from '../../src/domain/run/worker-view';
import { identityOf, type KeyMark, markIn } from '../../src/model/run/worker-view';

const folder = aFolder();
const withKeys = (encryption: string, more = '') =>
  `portals: {}\ntemporal: { encryption: ${encryption} }\n${more}`;
const load = (encryption: string) => aConfig(withKeys(encryption), folder).temporal.encryption;
const problemsOf = (encryption: string, more?: string) => problemsOfConfig(withKeys(encryption, more));
const hex = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';

describe('encryption keys', () => {
  it('are 32 bytes, of which the first encrypts unless `write` is false', async () => {
    writeFileSync(path.join(folder, 'new'), `${Buffer.from(hex, 'hex').toString('base64')}\n`);
    writeFileSync(path.join(folder, 'old'), hex.toUpperCase());
    const both = `keys: [{ id: '2026-11', key: { file: new } }, { id: old, key: { file: old } }]`;
    const encryption = load(`{ ${both} }`);
    const { keys, writing } = await readEncryptionKeys(encryption);
    expect(keys.map(({ id, key }) => [id, key.toString('hex')])).toEqual([
      ['2026-11', hex],
      ['old', hex],
    ]);
    expect(writing).toBe(keys[0]);
    expect((await readEncryptionKeys(load(`{ ${both}, write: false }`))).writing).toBeUndefined();
    expect(inspect(encryption)).not.toContain(hex);

    writeFileSync(path.join(folder, 'old'), 'correct horse battery staple, which is a long text');
    await expect(readEncryptionKeys(encryption)).resolves.toBeDefined();
    await expect(readEncryptionKeys(load(`{ ${both} }`))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.not.stringContaining('horse'),
      hint: 'Create one: openssl rand -hex 32',
    });
  });

  it('are reported when invalid', () => {
    const key = '{ id: a, key: { env: KEY } }';
    expect(problemsOf(`{ keys: [${key}, ${key}] }`)).toContain(
      'temporal.encryption.keys: has two keys with the same id',
    );
    expect(problemsOf(`{ keys: [${key}, { id: 'a b', key: ${hex} }] }`)).toBe(`FILE has 2 problems:
  temporal.encryption.keys.1.id: a key id has letters, digits, hyphens, dots and underscores, at most 40
  temporal.encryption.keys.1.key: do not write the secret itself here; write { env: NAME }, { file: PATH } or { command: [PROGRAM, ARGUMENT] }`);
    const codec = (origin: string) => `serve: { codec: { origins: [${origin}] } }`;
    expect(problemsOf(`{ keys: [${key}] }`, codec('"*", https://temporal.example.com/'))).toMatch(
      /serve\.codec\.origins\.0: is not an origin[\s\S]*serve\.codec\.origins\.1: is not an origin/,
    );
    const alone = `portals: {}\n${codec('https://temporal.example.com')}`;
    expect(problemsOfConfig(alone)).toContain('serve.codec: nothing to decrypt');
  });

  it('are reported by a worker, and compared before a start [P23]', () => {
    const mark = (id: string, fingerprint: string, writes = false): KeyMark => ({ id, fingerprint, writes });
    const worker = { name: '1@here', version: '1.0.0', config: 'a'.repeat(12), store: 'b'.repeat(12) };
    const told = (keys: KeyMark[]) => markIn(identityOf({ ...worker, lacks: 0, at: 7, keys }));
    const keys = [mark('2026-11', '0f1e2d3c', true), mark('old', '4b5a6978')];
    expect(told(keys)).toEqual({ ...worker, lacks: 0, at: 7, keys });
    expect(told([])?.keys).toEqual([]);

    const compared = (own: KeyMark[], there: KeyMark[]) => () =>
      requireSharedKeys(own, { name: worker.name, keys: there });
    expect(compared(keys, [mark('old', '4b5a6978', true), mark('2026-11', '0f1e2d3c')])).not.toThrow();
    expect(compared([], [mark('old', '4b5a6978')])).not.toThrow();
    expect(compared([], keys)).toThrow(
      'worker 1@here encrypts Temporal data with key "2026-11" (0f1e2d3c), but this command does not have it',
    );
    expect(compared([mark('old', 'ffffffff', true)], keys)).toThrow(
      'this command encrypts Temporal data with key "old" (ffffffff), but worker 1@here has a different key with that ID (4b5a6978)',
    );
  });

  it('have different fingerprints', () => {
    const of = (id: string, byte: number) =>
      keyMarksOf({ keys: [{ id, key: Buffer.alloc(32, byte) }] })[0]?.fingerprint;
    expect(new Set([of('a', 1), of('a', 2), of('b', 1)]).size).toBe(3);
    expect(of('a', 1)).toMatch(/^[0-9a-f]{8}$/);
  });
});
