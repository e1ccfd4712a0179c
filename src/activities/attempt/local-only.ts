import { Context } from '@temporalio/activity';
import { PortolanError } from '../../model/errors/errors';

/**
 * Throws NOT_AUTHENTIC where it is not a local activity that calls: any workflow of the namespace can name our queue, and
 * what it calls over that is none.
 */
export function requireLocal(): void {
  if (Context.current().info.isLocal) return;
  throw new PortolanError('NOT_AUTHENTIC', 'this is asked from within a workflow of the same worker only');
}
