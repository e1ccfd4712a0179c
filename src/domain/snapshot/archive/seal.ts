import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { ErrorCode } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { fingerprintOf, isSignatureOf, signatureOf } from './signing-keys';
import { TAR_BLOCK, TAR_END, tarHeader, tarPadding } from './tar';

/** What a signed file holds, in words and codes. Its first entry is named after it. */
export interface SortOfArchive {
  readonly what: 'snapshot' | 'release';
  /** The newest form that is read. */
  readonly newest: number;
  readonly altered: ErrorCode;
  readonly newer: ErrorCode;
  readonly untrusted: ErrorCode;
}

/** What stands in the last entry: who signed what, all in hex. */
export interface Seal {
  /** Of the public key. */
  readonly keySha256: string;
  /** Of all bytes before the last entry. */
  readonly bodySha256: string;
  readonly signature: string;
}

const hex = (length: number) => z.string().regex(new RegExp(`^[0-9a-f]{${length}}$`));
const sealJson = z.strictObject({
  algorithm: z.literal('ed25519'),
  keySha256: hex(64),
  bodySha256: hex(64),
  signature: hex(128),
});

/** The last entry takes so much, with the end of the archive. @format bytes */
export const SEAL_BYTES = 2 * TAR_BLOCK + TAR_END.length;

/** The end of a file: the signature as an entry, and the end of the archive. */
export const sealOf = (bodySha256: string, key: KeyObject): Buffer =>
  writeSeal({ keySha256: fingerprintOf(key), bodySha256, signature: signatureOf(bodySha256, key) });

function writeSeal({ keySha256, bodySha256, signature }: Seal): Buffer {
  const text = Buffer.from(JSON.stringify({ algorithm: 'ed25519', keySha256, bodySha256, signature }));
  const header = tarHeader({ name: 'signature.json', size: text.length });
  return Buffer.concat([header, text, tarPadding(text.length), TAR_END]);
}

export const takeAnew = 'Get the file again from the person who exported it.';

/**
 * What the end of a file says, where one of the trusted keys has signed it. Whether the body is what was signed has to
 * be seen yet. Throws the sort's codes for one that was altered and for one that is not trusted.
 */
export function readSeal(
  file: string,
  end: Buffer,
  trusted: readonly KeyObject[],
  sort: SortOfArchive,
): Seal {
  const seal = parseSeal(end);
  if (!seal) {
    throw new PortolanError(
      sort.altered,
      `${file} does not end like a ${sort.what} file: it is something else, was cut off or was modified`,
      { hint: takeAnew },
    );
  }
  const key = trusted.find((each) => fingerprintOf(each) === seal.keySha256);
  if (!key) {
    throw new PortolanError(
      sort.untrusted,
      `${file} says it was signed with key ${seal.keySha256.slice(0, 16)}, which is not a trusted key: ${trusted.map((each) => fingerprintOf(each).slice(0, 16)).join(', ')}`,
    );
  }
  if (isSignatureOf(seal.bodySha256, seal.signature, key)) return seal;
  throw alteredFile(file, sort);
}

export const alteredFile = (file: string, { altered }: SortOfArchive): PortolanError =>
  new PortolanError(altered, `${file} was modified after it was signed`, {
    hint: takeAnew,
  });

/** Undefined where one byte of it is not as it is written here. */
function parseSeal(end: Buffer): Seal | undefined {
  const text = end.toString('latin1', TAR_BLOCK, 2 * TAR_BLOCK).replace(/\0+$/, '');
  try {
    const seal = sealJson.parse(JSON.parse(text));
    return writeSeal(seal).equals(end) ? seal : undefined;
  } catch {
    return undefined;
  }
}
