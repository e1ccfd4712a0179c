import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { temporalConnection } from '../../src/config/temporal/temporal-connection';
import { PortolanError } from '../../src/model/errors/errors';
import { aFolder } from '../support/folder';

const KEY = 'key-that-nobody-is-to-see';
const address = 'temporal.example.com:7233';
const here = 'localhost:7233';
const certificate = {
  TEMPORAL_TLS_CLIENT_CERT_PATH: '/etc/portolan/worker.pem',
  TEMPORAL_TLS_CLIENT_KEY_PATH: '/etc/portolan/worker.key',
};

const folder = aFolder();

/** The variables of Temporal's that this process has from now on, and no others; nobody's own profile counts. */
function set(variables: Readonly<Record<string, string>>) {
  for (const name of Object.keys(process.env)) if (name.startsWith('TEMPORAL_')) delete process.env[name];
  Object.assign(process.env, { XDG_CONFIG_HOME: folder, ...variables });
}
beforeEach(() => set({}));

/** The variables that name a profile of this text. */
function profile(text: string) {
  const TEMPORAL_CONFIG_FILE = path.join(aFolder(), 'temporal.toml');
  writeFileSync(TEMPORAL_CONFIG_FILE, `[profile.default]\n${text}`);
  return { TEMPORAL_CONFIG_FILE };
}

/** What is said against a connection to this address. */
function refusal(to = address) {
  try {
    temporalConnection({ address: to });
  } catch (thrown) {
    const { code, plainMessage, hint } = PortolanError.from(thrown);
    expect([code, plainMessage + hint]).toEqual(['CONFIG_INVALID', expect.not.stringContaining(KEY)]);
    return plainMessage;
  }
  throw new Error('it was not refused');
}

describe('a Temporal API key', () => {
  it.each([
    ['TEMPORAL_TLS=True', { TEMPORAL_TLS: 'True' }, /^TEMPORAL_TLS is neither true nor false/],
    [
      'TEMPORAL_TLS=false',
      { TEMPORAL_TLS: 'false' },
      /^TEMPORAL_TLS turns TLS off, but a key would be sent to temporal\.example\.com:7233/,
    ],
    [
      'a profile without TLS',
      profile('[profile.default.tls]\ndisabled = true\n'),
      /^tls\.disabled of the profile turns TLS off, but a key/,
    ],
  ])('is not sent unencrypted, by %s [P24]', (_how, variables, words) => {
    set({ ...variables, TEMPORAL_API_KEY: KEY });
    expect(refusal()).toMatch(words);
  });

  it.each([
    ['a variable', { TEMPORAL_GRPC_META_AUTHORIZATION: `Bearer ${KEY}` }],
    ['a variable, TLS off', { TEMPORAL_GRPC_META_AUTHORIZATION: KEY, TEMPORAL_TLS: 'false' }],
    ['a profile', profile(`[profile.default.grpc_meta]\nx-api-key = "${KEY}"\n`)],
  ])('is not sent unencrypted in a header of %s [P24]', (_whose, variables) => {
    set(variables);
    expect(refusal()).toMatch(
      /the header (authorization|x-api-key) would be sent to temporal\.example\.com:7233/,
    );
    set({ ...variables, TEMPORAL_TLS: 'true' });
    expect(temporalConnection({ address }).tls).toBeTruthy();
  });

  it('is not seen in other headers', () => {
    set({ TEMPORAL_GRPC_META_TRACE: 'on' });
    expect(temporalConnection({ address })).toMatchObject({ address, metadata: { trace: 'on' } });
  });

  it('turns TLS on, as do true and 1', () => {
    for (const TEMPORAL_TLS of ['', 'true', '1']) {
      set({ TEMPORAL_TLS, TEMPORAL_API_KEY: KEY });
      const { tls, apiKey } = temporalConnection({ address });
      expect([Boolean(tls), apiKey]).toEqual([true, KEY]);
    }
  });

  it.each([here, '127.0.0.1:7233', '[::1]:7233'])('is sent unencrypted within this machine: %s', (to) => {
    set({ TEMPORAL_TLS: 'false', TEMPORAL_API_KEY: KEY });
    expect(temporalConnection({ address: to })).toMatchObject({ address: to, tls: false, apiKey: KEY });
  });
});

it('a client certificate is refused when TLS is off', () => {
  set({ ...certificate, TEMPORAL_TLS: 'false' });
  expect(refusal()).toMatch(/^TEMPORAL_TLS turns TLS off, but a client certificate/);
});

describe('a server at another address than the variables name', () => {
  const other = 'frontend:7233';
  it.each([
    ['TLS', { TEMPORAL_ADDRESS: other, TEMPORAL_TLS: 'true' }, 'TEMPORAL_ADDRESS'],
    ['a key', { TEMPORAL_ADDRESS: other, TEMPORAL_API_KEY: KEY }, 'TEMPORAL_ADDRESS'],
    ['a client certificate', { TEMPORAL_ADDRESS: other, ...certificate }, 'TEMPORAL_ADDRESS'],
    ['the key of a profile', profile(`address = "${other}"\napi_key = "${KEY}"\n`), 'address of the profile'],
  ])('is never contacted unencrypted when %s is for the other [P24]', (_what, variables, setting) => {
    set(variables);
    expect(refusal()).toContain(
      `temporal.address is temporal.example.com:7233, but ${setting} is frontend:7233`,
    );
  });

  it('is contacted unencrypted on this machine, or when nothing asks for TLS', () => {
    set({ TEMPORAL_ADDRESS: other, ...certificate, TEMPORAL_API_KEY: KEY });
    expect(temporalConnection({ address: here })).toEqual({ address: here });
    set({ TEMPORAL_ADDRESS: other });
    expect(temporalConnection({ address })).toEqual({ address });
    set({ TEMPORAL_ADDRESS: other, TEMPORAL_API_KEY: KEY, TEMPORAL_TLS: 'false' });
    expect(temporalConnection({ address })).toEqual({ address });
  });
});
