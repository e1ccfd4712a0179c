import type { WorkflowHandle } from '@temporalio/client';
import { isLate } from '../../src/temporal/connection';

const LONGEST_MS = 5_000;
const ASKED_AT_MOST = 12;

/**
 * Asks a workflow for something. A worker can lose a query that meets a workflow task with a local activity. Nobody
 * ever answers that one, so it is asked again.
 */
export async function query<T>(handle: WorkflowHandle, name: string, ...args: unknown[]): Promise<T> {
  const { connection } = handle.client;
  for (let asked = 1; ; asked += 1) {
    try {
      return await connection.withDeadline(Date.now() + LONGEST_MS, () =>
        handle.query<T, unknown[]>(name, ...args),
      );
    } catch (thrown) {
      if (!isLate(thrown) || asked === ASKED_AT_MOST) throw thrown;
    }
  }
}
