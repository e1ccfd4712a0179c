import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import type { ServerAddress } from './server-address';
import { PortolanError } from '../model/errors/errors';

/** A saved sign-in. */
const signedIn = z.object({
  token: z.string().min(1).max(8_192),
  who: z.string().max(400),
  expiresAt: z.string().max(40).describe('ISO 8601'),
});
export type SignedIn = z.infer<typeof signedIn>;

const file = z.object({ servers: z.record(z.string(), signedIn) });

/** Permissions of group and others. */
const OTHERS = 0o077;

/** `$XDG_CONFIG_HOME/portolan/credentials.json`: tokens of people, by server, for their owner alone. */
export const credentialsFile = (): string =>
  path.join(
    process.env['XDG_CONFIG_HOME'] || path.join(os.homedir(), '.config'),
    'portolan',
    'credentials.json',
  );

/**
 * The credential for a server: `PORTOLAN_KEY`, the file of `PORTOLAN_KEY_FILE`, or else the token of this user's
 * sign-in there; undefined if there is none. Throws `SECRET_UNREADABLE`.
 */
export async function credentialFor(server: ServerAddress): Promise<string | undefined> {
  const { PORTOLAN_KEY: key, PORTOLAN_KEY_FILE: named } = process.env;
  if (key) return headerText(key, 'PORTOLAN_KEY');
  if (!named) return (await readSignIn(server))?.token;
  const text = await readFile(named, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    throw new PortolanError('SECRET_UNREADABLE', `${named} cannot be read (${thrown.code}).`, {
      hint: 'PORTOLAN_KEY_FILE must name the file with the key of the server.',
    });
  });
  return headerText(text.trim(), named);
}

/** Throws if a key cannot be sent as a header, without repeating it. */
function headerText(key: string, from: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new PortolanError(
    'SECRET_UNREADABLE',
    `${from} holds no key: it contains spaces or invalid characters.`,
    {
      hint: 'A key is one word, as printed by portolan serve key.',
    },
  );
}

/** The saved sign-in for a server. */
export const readSignIn = async ({ url }: ServerAddress): Promise<SignedIn | undefined> =>
  (await readAll()).servers[url];

/** Saves a sign-in, in a file that only its owner can read. */
export async function keepSignIn({ url }: ServerAddress, signIn: SignedIn): Promise<void> {
  const { servers } = await readAll();
  await write({ servers: { ...servers, [url]: signIn } });
}

/** Deletes a sign-in. Returns whose it was; undefined if there was none. */
export async function forgetSignIn({ url }: ServerAddress): Promise<SignedIn | undefined> {
  const { [url]: gone, ...servers } = (await readAll()).servers;
  if (gone) await write({ servers });
  return gone;
}

async function readAll(): Promise<z.infer<typeof file>> {
  const at = credentialsFile();
  const text = await readFile(at, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return undefined;
    throw new PortolanError('SECRET_UNREADABLE', `${at} cannot be read (${thrown.code}).`, {
      hint: 'It stores your sign-in. Delete it, then run portolan login again.',
    });
  });
  if (text === undefined) return { servers: {} };
  if (((await stat(at)).mode & OTHERS) !== 0 && process.platform !== 'win32')
    throw new PortolanError('SECRET_UNREADABLE', `${at} is readable by others.`, {
      hint: `Make it private: chmod 600 ${at}. If someone may have read it, sign in again.`,
    });
  try {
    return file.parse(JSON.parse(text));
  } catch {
    throw new PortolanError('SECRET_UNREADABLE', `${at} is not a valid sign-in file.`, {
      hint: 'Delete it, and sign in again: portolan login',
    });
  }
}

async function write(content: z.infer<typeof file>): Promise<void> {
  const at = credentialsFile();
  const beside = `${at}.${process.pid}.part`;
  try {
    await mkdir(path.dirname(at), { recursive: true, mode: 0o700 });
    await rm(beside, { force: true });
    await writeFile(beside, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await chmod(beside, 0o600);
    await rename(beside, at);
  } catch (thrown) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw new PortolanError(
      'SECRET_UNREADABLE',
      `${at} cannot be written (${(thrown as NodeJS.ErrnoException).code}).`,
      { hint: 'It stores your sign-in; set XDG_CONFIG_HOME to use another folder.' },
    );
  }
}
