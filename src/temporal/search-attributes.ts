import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection } from '@temporalio/client';
import { PortolanError } from '../model/errors/errors';
import { searchAttributeNames } from '../model/run/search-attributes';

/** `IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD` of Temporal's interface. */
const KEYWORD = 2;

const names = Object.values(searchAttributeNames);

const READY_LIMIT_MS = 60_000;

/**
 * Registers the search attributes that are missing, and waits until the server takes them in a query. Start flags
 * of a server would be ignored on a database that exists already.
 */
export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = names.filter((name) => customAttributes?.[name] === undefined);
  if (missing.length > 0) {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, KEYWORD])),
    });
  }
  const query = names.map((name) => `${name} = 'none'`).join(' AND ');
  const deadline = Date.now() + READY_LIMIT_MS;
  for (;;) {
    try {
      await connection.workflowService.countWorkflowExecutions({ namespace, query });
      return;
    } catch (error) {
      if (Date.now() > deadline) {
        throw new PortolanError(
          'TEMPORAL_UNREACHABLE',
          'Temporal does not take our search attributes',
          {},
          { cause: error },
        );
      }
      await sleep(100);
    }
  }
}
