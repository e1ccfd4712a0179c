import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PortolanError } from '../model/errors/errors';
import { closeEntry } from './closed-folder';
import type { Secret } from './secret';

/** Shorter ones can be guessed. @format characters */
export const KEY_LENGTH_MIN = 32;

/** Source of a key: configured, or created on first use. */
export type KeySource = { readonly secret: Secret } | { readonly file: string };

/** The source, for people. */
export const sourceOfKey = (source: KeySource): string =>
  'secret' in source ? source.secret.source : `file ${source.file}`;

/**
 * Reads the key. If it is not configured, creates it once, as a file that only its owner can read. Throws
 * SECRET_UNREADABLE, and CONFIG_INVALID if it is too short.
 * @param what for messages
 */
export async function readKeyFrom(source: KeySource, what: string): Promise<Buffer> {
  if ('secret' in source) return await readKey(source.secret, what);
  return longEnough(await readOrMake(source.file, what), what, sourceOfKey(source));
}

/**
 * Reads a secret as a key. Throws SECRET_UNREADABLE, and CONFIG_INVALID if it is too short.
 * @param what for messages
 */
export const readKey = async (secret: Secret, what: string): Promise<Buffer> =>
  longEnough(await secret.read(), what, secret.source);

function longEnough(text: string, what: string, source: string): Buffer {
  if (text.length >= KEY_LENGTH_MIN) return Buffer.from(text);
  throw new PortolanError(
    'CONFIG_INVALID',
    `The ${what} from ${source} has ${text.length} characters; at least ${KEY_LENGTH_MIN} are needed.`,
    { hint: 'Create one: openssl rand -hex 32' },
  );
}

async function readOrMake(file: string, what: string): Promise<string> {
  const there = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new PortolanError(
      'SECRET_UNREADABLE',
      `The ${what} in file ${file} cannot be read (${error.code}).`,
    );
  });
  if (there !== undefined) {
    await closeEntry(file);
    return there.trim();
  }
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  await writeFile(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    // If several processes create one, the first one wins.
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
}
