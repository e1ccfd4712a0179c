import { PortolanError } from '../model/errors/errors';

/** The number that the cursor of a list holds. Throws `USAGE` for anything else. */
export function numberOfCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined || /^\d{1,16}$/.test(cursor))
    return cursor === undefined ? undefined : Number(cursor);
  throw new PortolanError('USAGE', 'cursor: is not a cursor of this list', {
    hint: 'Start without a cursor.',
  });
}
