import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { Secret, type SecretReference } from '../../src/secrets/secret';
import { PortolanError } from '../../src/model/errors/errors';

const label = 'portals.staging.auth.password';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'portolan-secret-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  delete process.env.PORTOLAN_TEST_SECRET;
});

const secretOf = (reference: SecretReference) => new Secret(reference).locate(label, folder);

async function failureOf(reference: SecretReference): Promise<PortolanError> {
  return secretOf(reference)
    .read()
    .then(
      () => {
        throw new Error('the secret was read');
      },
      (thrown: unknown) => PortolanError.from(thrown),
    );
}

describe('a secret', () => {
  it('comes from a variable, a file or a command, without its line end', async () => {
    process.env.PORTOLAN_TEST_SECRET = 'from-env';
    writeFileSync(path.join(folder, 'password'), 'from file \n');
    await expect(secretOf({ env: 'PORTOLAN_TEST_SECRET' }).read()).resolves.toBe('from-env');
    await expect(secretOf({ file: 'password' }).read()).resolves.toBe('from file ');
    await expect(secretOf({ command: ['printf', 'from-%s', 'command'] }).read()).resolves.toBe(
      'from-command',
    );
  });

  it.each([
    [{ env: 'PORTOLAN_TEST_SECRET' }, 'environment variable PORTOLAN_TEST_SECRET is not set.'],
    [{ file: 'missing' }, 'file missing cannot be read (ENOENT).'],
    [
      { command: ['sh', '-c', 'echo half-a-secret; exit 3'] },
      'command sh returned no secret (exit status 3).',
    ],
    [{ command: ['true'] }, 'command true is empty.'],
    [{ command: ['no-such-program-here'] }, 'command no-such-program-here returned no secret (ENOENT).'],
  ])('is named by its place and source when it is unreadable: %j', async (reference, words) => {
    const error = await failureOf(reference);
    expect(error.message).toBe(`[SECRET_UNREADABLE] ${label}: ${words}`);
    expect(inspect(error, { depth: 10 })).not.toContain('half-a-secret');
  });

  it('is printed as ***, before and after it was read', async () => {
    process.env.PORTOLAN_TEST_SECRET = 'planted-secret';
    const secret = secretOf({ env: 'PORTOLAN_TEST_SECRET' });
    await secret.read();
    expect([JSON.stringify({ secret }), `${secret}`, inspect({ secret }, { showHidden: true })]).toEqual([
      '{"secret":"***"}',
      '***',
      '{ secret: *** }',
    ]);
  });

  it('is hidden from the command of another secret, as are own keys [P15]', async () => {
    process.env.PORTOLAN_TEST_SECRET = 'planted';
    process.env.VAULT_ADDR = 'https://vault.example.com';
    process.env.PORTOLAN_KEY = 'planted';
    process.env.TEMPORAL_API_KEY = 'planted';
    secretOf({ env: 'PORTOLAN_TEST_SECRET' });
    const seen = secretOf({ command: [process.execPath, '-p', 'JSON.stringify(process.env)'] });
    const environment = await seen.read();
    for (const name of ['VAULT_ADDR', 'PORTOLAN_KEY', 'TEMPORAL_API_KEY']) delete process.env[name];
    expect(environment).not.toContain('planted');
    expect(JSON.parse(environment)).toMatchObject({ VAULT_ADDR: 'https://vault.example.com' });
  });

  it('is read again after a failure', async () => {
    const secret = secretOf({ env: 'PORTOLAN_TEST_SECRET' });
    await expect(secret.read()).rejects.toThrow('SECRET_UNREADABLE');
    process.env.PORTOLAN_TEST_SECRET = 'now';
    await expect(secret.read()).resolves.toBe('now');
  });
});
