import type { BackupInput } from '../../../src/model/run/run-input';
import { guardSource } from '../../../src/workflows/transfer/guards';
import { defineTransfer } from '../../../src/workflows/transfer/transfer-kind';
import { count } from './count';

/** A kind of run as a contributor adds one. */
export const census = defineTransfer(
  { name: 'census', sides: ['source'], verdict: () => 'succeeded' },
  (input: BackupInput) => [guardSource(input), count],
);

/** Phases in the wrong order: one lacks a fact. */
export const hastyCensus = defineTransfer(
  { name: 'hasty-census', sides: ['source'], verdict: () => 'succeeded' },
  (_input: BackupInput) => [count],
);
