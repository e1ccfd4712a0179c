import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { PortolanError } from '../../../model/errors/errors';
import { CHAIN_FORMAT, snapshotManifest } from '../../../model/snapshot/snapshot';
import { fingerprintOf, isSignatureOf, signatureOf } from './signing-keys';
import { TAR_BLOCK, TAR_END, tarHeader, tarPadding } from './tar';

/** The newest form of the files in which snapshots travel that is read: each has the form of its snapshot. */
export const SNAPSHOT_FILE_FORMAT = CHAIN_FORMAT;

/** The first entry: what the snapshot is, and the other entries in their order. */
export const snapshotHead = z.object({
  format: z.number(),
  manifest: snapshotManifest,
  files: z.array(
    z.object({ name: z.string(), sizeBytes: z.number(), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
  ),
});
export type SnapshotHead = z.infer<typeof snapshotHead>;

/** Names of the entries. */
export const entryNames = {
  head: 'snapshot.json',
  rows: 'rows.json',
  record: (itemId: string) => `items/${itemId}/item.json`,
  data: (itemId: string) => `items/${itemId}/data`,
  file: (itemId: string, index: number) => `items/${itemId}/files/${index}`,
  thumbnail: (itemId: string) => `items/${itemId}/thumbnail`,
  /** @param index among the packages of the snapshot */
  package: (index: number) => (index === 0 ? 'package.epk' : `package-${index + 1}.epk`),
  signature: 'signature.json',
} as const;

/** What stands in the last entry: who signed what, all in hex. */
interface Seal {
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
  const header = tarHeader({ name: entryNames.signature, size: text.length });
  return Buffer.concat([header, text, tarPadding(text.length), TAR_END]);
}

/**
 * What the end of a file says, where one of the trusted keys has signed it. Whether the body is what was signed has to
 * be seen yet. Throws SNAPSHOT_ALTERED and SNAPSHOT_UNTRUSTED.
 */
export function readSeal(file: string, end: Buffer, trusted: readonly KeyObject[]): Seal {
  const seal = parseSeal(end);
  if (!seal) {
    throw new PortolanError(
      'SNAPSHOT_ALTERED',
      `${file} does not end as a snapshot file does: it is none, or was cut or altered`,
      { hint: 'Take the file anew from whoever exported it.' },
    );
  }
  const key = trusted.find((each) => fingerprintOf(each) === seal.keySha256);
  if (!key) {
    throw new PortolanError(
      'SNAPSHOT_UNTRUSTED',
      `${file} says that it was signed with key ${seal.keySha256.slice(0, 16)}, which is none that is trusted: ${trusted.map((each) => fingerprintOf(each).slice(0, 16)).join(', ')}`,
    );
  }
  if (isSignatureOf(seal.bodySha256, seal.signature, key)) return seal;
  throw alteredFile(file);
}

export const alteredFile = (file: string): PortolanError =>
  new PortolanError('SNAPSHOT_ALTERED', `${file} is not what was signed: it was altered after that`, {
    hint: 'Take the file anew from whoever exported it.',
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
