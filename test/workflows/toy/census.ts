import type { RunState } from '../../../src/model/run/run-state';
import type { BackupInput } from '../../../src/model/run/snapshot-input';
import { guardSource } from '../../../src/workflows/phases/guard-source';
import { admitted } from '../../../src/workflows/run/authenticate';
import { runToEnd } from '../../../src/workflows/run/run-to-end';
import { transferKind } from '../../../src/workflows/transfer/transfer-kind';
import { TransferRun } from '../../../src/workflows/transfer/transfer-run';
import { count } from './count';

const kind = transferKind({ name: 'census', sides: ['source'], verdict: () => 'succeeded' });

/** A kind of run as a contributor adds one. */
export async function census(signed: BackupInput): Promise<RunState> {
  const input = await admitted(signed);
  return await runToEnd(new TransferRun(kind, input), [guardSource(input), count]);
}

/** The same with its phases in the wrong order: what one needs, nobody has found. */
export async function hastyCensus(input: BackupInput): Promise<RunState> {
  const hasty = { ...kind, name: 'hasty-census' };
  return await runToEnd(new TransferRun(hasty, await admitted(input)), [count]);
}
