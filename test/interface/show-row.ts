import type { Row } from './row';
import { lackingOnWire } from './wire';
import type { World } from './world';

/** @throws Error if the check fails, or if the requests of this check lack one that the row names */
export async function showRow(world: World, row: Row): Promise<void> {
  const mark = world.mark();
  await row.check(world);
  const log = world.since(mark);
  const lacking = lackingOnWire(row, log);
  if (lacking.length === 0) return;
  const saw = log.map(
    ({ method, operation, status, errorCode, params }) =>
      `${method} ${operation} ${JSON.stringify(params)}: ${status}${errorCode ? `, error ${errorCode}` : ''}`,
  );
  throw new Error(`Not on the wire: ${lacking.join('; ')}. There was: ${saw.join('; ') || 'nothing'}`);
}
