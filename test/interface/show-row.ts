import { inspect } from 'node:util';
import type { Row } from './row';
import { missingOnWire } from './wire';
import type { World } from './world';

/** @throws Error if the check fails, or if its requests lack one that the row names */
export async function showRow(world: World, row: Row): Promise<void> {
  const site = await world.at();
  const mark = world.mark();
  await row.check(site, world);
  const log = world.since(mark);
  const missing = missingOnWire(row, log);
  if (missing.length === 0) return;
  const seen = log.map(({ method, operation, params, status, errorCode }) =>
    inspect({ method, operation, params, status, errorCode }),
  );
  throw new Error(`Not on the wire: ${inspect(missing)}. There was: ${seen.join(', ') || 'nothing'}`);
}
