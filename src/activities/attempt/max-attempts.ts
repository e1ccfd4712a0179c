import { PortolanError } from '../../model/errors/errors';
import { attempt } from './heartbeat';

/** A call of many that a portal could not carry out is repeated: what is done already is seen and not done again. */
const TRIES = 6;

/** The error with which one of many calls is left alone. Throws what may still go away by itself. */
export function lastError(thrown: unknown): PortolanError {
  const error = PortolanError.from(thrown);
  if (error.meaning.kind !== 'permanent' && attempt() < TRIES) throw error;
  return error;
}
