import type { BackupInput } from '../../../src/model/run/run-input';
import { guardSource } from '../../../src/workflows/transfer/guards';
import { defineTransfer } from '../../../src/workflows/transfer/transfer-kind';
import { count } from './count';

/** A kind of run as a contributor adds one. */
export const census = defineTransfer(
  { name: 'census', sides: ['source'], verdict: () => 'succeeded' },
  (input: BackupInput) => [guardSource(input), count],
);

/** The same with its phases in the wrong order: what one needs, nobody has found. */
export const hastyCensus = defineTransfer(
  { name: 'hasty-census', sides: ['source'], verdict: () => 'succeeded' },
  (_input: BackupInput) => [count],
);
