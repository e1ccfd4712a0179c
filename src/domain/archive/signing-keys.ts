import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { PortolanError } from '../../model/errors/errors';

const howToMake = 'Create a key pair: portolan snapshot keygen FILE';

/** The Ed25519 private key of a file in PEM form. Throws SECRET_UNREADABLE. */
export const readSigningKey = (file: string): Promise<KeyObject> =>
  readKey(file, 'private', createPrivateKey);

/** The Ed25519 public key of a file in PEM form. Throws SECRET_UNREADABLE. */
export const readTrustedKey = (file: string): Promise<KeyObject> => readKey(file, 'public', createPublicKey);

/**
 * Writes a new pair: the private key into `file`, which only its owner reads, and the public one beside it.
 * @returns the file of the public key
 * @throws PortolanError USAGE where one of them is there already
 */
export async function makeKeyPair(file: string): Promise<{ publicFile: string; keySha256: string }> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const publicFile = `${file}.pub`;
  await writeNew(publicFile, publicKey.export({ type: 'spki', format: 'pem' }), 0o644);
  await writeNew(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), 0o600);
  return { publicFile, keySha256: fingerprintOf(publicKey) };
}

/** sha256 in hex of the public key, by which people tell keys apart. */
export function fingerprintOf(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

async function readKey(
  file: string,
  kind: 'private' | 'public',
  parse: (pem: string) => KeyObject,
): Promise<KeyObject> {
  const pem = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new PortolanError('SECRET_UNREADABLE', `${file} cannot be read (${error.code})`, {
      hint: howToMake,
    });
  });
  try {
    const key = parse(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // What is wrong with it is said below; the words of the library may hold parts of it.
  }
  throw new PortolanError('SECRET_UNREADABLE', `${file} contains no Ed25519 ${kind} key in PEM format`, {
    hint: howToMake,
  });
}

async function writeNew(file: string, content: string | Buffer, mode: number): Promise<void> {
  await writeFile(file, content, { mode, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EEXIST' ? 'already exists' : `cannot be written (${error.code})`;
    throw new PortolanError('USAGE', `${file} ${why}`, { hint: 'Choose another file.' });
  });
}
