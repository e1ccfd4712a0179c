import { PortolanError } from '../model/errors/errors';

/** The number that the cursor of a list holds. Throws `USAGE` for any other cursor. */
export function numberOfCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (!/^\d{1,16}$/.test(cursor)) throw noCursor();
  return Number(cursor);
}

const noCursor = (): PortolanError =>
  new PortolanError('USAGE', 'cursor: is not a cursor of this list', { hint: 'Start without a cursor.' });
