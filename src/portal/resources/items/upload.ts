import { PortolanError } from '../../../model/errors/errors';
import { PART_BYTES, PARTS_FROM_BYTES, PARTS_MAX } from '../../http/limits';

/** A part of a file: bytes `start` up to, not including, `end`; numbered from 1. */
export interface Part {
  readonly partNum: number;
  readonly start: number;
  readonly end: number;
}

/** Parts under way at a time: enough to fill a connection, few enough for two cores and the portal. */
export const PARTS_AT_A_TIME = 4;

const MiB = 1024 ** 2;

/** Bytes of one part of a file of this size: 32 MiB, more where that would make over 10,000 parts. */
const partBytesFor = (size: number): number => Math.max(PART_BYTES, Math.ceil(size / PARTS_MAX / MiB) * MiB);

/** Whether a file goes up in parts. Below the threshold one request is quicker. */
export const goesInParts = (size: number): boolean => size >= PARTS_FROM_BYTES;

/**
 * The parts of a file, in order; the same size always gives the same parts, so that an upload can be
 * resumed by part number.
 */
export function partsOf(size: number): Part[] {
  if (!Number.isSafeInteger(size) || size <= 0) {
    throw new PortolanError('INTERNAL', `A file of ${size} bytes cannot be split into parts.`);
  }
  const bytes = partBytesFor(size);
  return Array.from({ length: Math.ceil(size / bytes) }, (_, index) => ({
    partNum: index + 1,
    start: index * bytes,
    end: Math.min(size, (index + 1) * bytes),
  }));
}
