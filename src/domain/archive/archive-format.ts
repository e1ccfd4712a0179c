import { type KeyObject, sign, verify } from 'node:crypto';
import { z } from 'zod';
import { promotionEntry } from '../../model/release/promotion';
import { releaseManifest } from '../../model/release/release';
import {
  namedPackage,
  packagesIn,
  type SnapshotManifest,
  snapshotManifest,
  type SnapshotRow,
  snapshotRow,
} from '../../model/snapshot/snapshot';
import { keys, snapshotKeys } from '../../store/keys';
import { filesOfItem } from '../snapshot/copied-files';
import { fingerprintOf } from './signing-keys';

/*
 * A file in which snapshots travel, alone or with their release: a tar archive. Its head comes first, then a folder for
 * each snapshot, and the signature last. The signature names the head by its sha256, the head names rows and packages,
 * and rows name all other files.
 */

export const HEAD_NAME = 'archive.json';
const SIGNATURE_NAME = 'signature.json';

/** Entries of the history that an archive carries, the newest ones. */
export const HISTORY_MAX = 1_000;

const hex = (length: number) => z.string().regex(new RegExp(`^[0-9a-f]{${length}}$`));

/** An ID that becomes part of a key of the store. */
const safeId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}$/);

export const archiveHead = z.object({
  /** Of a release: one for each of its groups, in their order. */
  snapshots: z
    .array(
      snapshotManifest.extend({
        id: safeId,
        // Their hash becomes part of a key as well.
        contents: z.array(namedPackage.extend({ sha256: hex(64) })).optional(),
      }),
    )
    .refine((all) => new Set(all.map(({ id }) => id)).size === all.length),
  release: releaseManifest.extend({ id: safeId }).optional(),
  /** The stages that the release reached. */
  history: z
    .array(promotionEntry.extend({ pipeline: safeId, stage: safeId, runId: safeId }))
    .max(HISTORY_MAX)
    .optional(),
});
export type ArchiveHead = z.infer<typeof archiveHead>;

/** Folder of a snapshot. @param index among those of the head */
export const folderOf = (index: number): string => `${index + 1}/`;

/** Rows, in the folder of their snapshot. */
export const ROWS_NAME = 'rows.json';

/** Rows whose IDs can become part of keys. */
export const archivedRows = z.array(
  snapshotRow.extend({ itemId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/) }),
);

/** A file of a snapshot, besides its rows. */
interface ArchivedFile {
  /** In the folder of its snapshot. */
  readonly name: string;
  /** In the store. */
  readonly key: string;
  readonly sha256: string;
  /** Absent for JSON, which each store writes in its own way. @format bytes */
  readonly sizeBytes?: number;
}

/** All files of a snapshot after its rows, in order, for both export and import. */
export function filesOf(
  snapshot: Pick<SnapshotManifest, 'id' | 'package' | 'more' | 'contents'>,
  rows: readonly SnapshotRow[],
): ArchivedFile[] {
  const { id } = snapshot;
  const beside = rows.flatMap((row): Omit<ArchivedFile, 'name'>[] => {
    const record = { key: snapshotKeys.copiedRecord(id, row.itemId), sha256: row.copy?.recordSha256 ?? '' };
    return [...(row.saved === 'copy' ? [record] : []), ...filesOfItem(id, row)];
  });
  return [
    ...beside.map((file) => ({ ...file, name: file.key.slice(keys.snapshot(id).length) })),
    ...packagesIn(snapshot).map((file, index) => ({ ...file, name: `package-${index + 1}.epk` })),
    ...(snapshot.contents ?? []).map((file, index) => ({ ...file, name: `contents-${index + 1}.br` })),
  ];
}

/** @format bytes */
export const TAR_BLOCK = 512;
/** @format bytes */
const NAME_MAX = 99;
/** @format bytes */
const TAR_END = 2 * TAR_BLOCK;

/** Fields that are the same in all headers: mode, user, group, time, room for the checksum, kind and version. */
const tarFields: [at: number, text: string][] = [
  [100, '0000600'],
  [108, '0000000'],
  [116, '0000000'],
  [136, '00000000000'],
  [148, '        '],
  [156, '0'],
  [257, 'ustar'],
  [263, '00'],
];

/** A ustar header, which only depends on name and size. */
export function tarHeader(name: string, sizeBytes: number): Buffer {
  if (Buffer.byteLength(name) > NAME_MAX)
    throw new RangeError(`the name is too long for a tar archive: ${name}`);
  const header = Buffer.alloc(TAR_BLOCK);
  header.write(name);
  for (const [at, text] of tarFields) header.write(text, at);
  // The binary form has no limit.
  header.writeUInt8(0x80, 124);
  header.writeBigUInt64BE(BigInt(sizeBytes), 128);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0`, 148);
  return header;
}

/** Undefined for a header that is not exactly as above. */
export function readTarHeader(
  header: Buffer,
): { readonly name: string; readonly sizeBytes: number } | undefined {
  if (header.length < TAR_BLOCK) return undefined;
  const name = header.toString('utf8', 0, header.indexOf(0));
  const sizeBytes = Number(header.readBigUInt64BE(128));
  return Buffer.byteLength(name) <= NAME_MAX && header.equals(tarHeader(name, sizeBytes))
    ? { name, sizeBytes }
    : undefined;
}

/** Fills the last block of a file. */
export const tarPadding = (sizeBytes: number): Buffer =>
  Buffer.alloc((TAR_BLOCK - (sizeBytes % TAR_BLOCK)) % TAR_BLOCK);

const signatureOf = z.strictObject({
  /** Of the public key. */
  keySha256: hex(64),
  /** Of all bytes before the signature. */
  bodySha256: hex(64),
  headSha256: hex(64),
  signature: hex(128),
});
export type ArchiveSignature = z.infer<typeof signatureOf>;

/** Length of the signature as an entry, with the end of the archive. @format bytes */
export const SIGNATURE_BYTES = 2 * TAR_BLOCK + TAR_END;

const statement = ({ bodySha256, headSha256 }: Pick<ArchiveSignature, 'bodySha256' | 'headSha256'>): Buffer =>
  Buffer.from(`portolan archive\n${bodySha256}\n${headSha256}\n`);

/** The last bytes of an archive. */
export const signatureBytes = (
  hashes: Pick<ArchiveSignature, 'bodySha256' | 'headSha256'>,
  key: KeyObject,
): Buffer =>
  encode({
    keySha256: fingerprintOf(key),
    bodySha256: hashes.bodySha256,
    headSha256: hashes.headSha256,
    signature: sign(null, statement(hashes), key).toString('hex'),
  });

function encode(signature: ArchiveSignature): Buffer {
  const text = Buffer.from(JSON.stringify(signature));
  const header = tarHeader(SIGNATURE_NAME, text.length);
  return Buffer.concat([header, text, tarPadding(text.length), Buffer.alloc(TAR_END)]);
}

/** Undefined if a byte of it is not as Portolan writes it. */
export function parseSignature(end: Buffer): ArchiveSignature | undefined {
  const text = end.toString('latin1', TAR_BLOCK, 2 * TAR_BLOCK).replace(/\0+$/, '');
  try {
    const signature = signatureOf.parse(JSON.parse(text));
    return encode(signature).equals(end) ? signature : undefined;
  } catch {
    return undefined;
  }
}

export const isSignedWith = (key: KeyObject, signed: ArchiveSignature): boolean =>
  verify(null, statement(signed), key, Buffer.from(signed.signature, 'hex'));
