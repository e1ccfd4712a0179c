import { type RunRecord, runRecord } from '../../src/model/run/run';
import type { Ended } from './child';

/**
 * What a command has printed as JSON. Throws with its status and all that it printed where that is none, or is an error
 * in place of what was asked for.
 */
export function jsonOf<T>(ended: Pick<Ended, 'status' | 'stdout' | 'stderr'>): T {
  const { status, stdout, stderr } = ended;
  const failed = (cause?: unknown): Error =>
    new Error(`the command ended with ${status}, and printed:\n${stdout}\n${stderr}`, { cause });
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch (thrown) {
    throw failed(thrown);
  }
  if (typeof value === 'object' && value !== null && Object.keys(value).join() === 'error') throw failed();
  return value as T;
}

/** The run that a command has printed as JSON. Throws as `jsonOf`, and unless it is a record. */
export const recordOf = (ended: Ended): RunRecord => runRecord.parse(jsonOf(ended));
