import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { PortolanError } from '../model/errors/errors';
import { searchAttributeNames } from '../model/run/run-id';
import { isAlreadyThere, isAtCloud, isRefusedQuery, refusedRight } from './connection';

/** `IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD` of Temporal's interface. */
const KEYWORD = 2;

const names = Object.values(searchAttributeNames);

const READY_LIMIT_MS = 60_000;

/**
 * Registers missing search attributes and waits until queries accept them. Needs operator rights only if one is
 * missing. A server's start flags would be ignored on an existing database.
 *
 * @throws PortolanError `SEARCH_ATTRIBUTES_MISSING` with the command for an operator
 */
export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length === 0) return;
  await register(connection, namespace, missing);
  for (const deadline = Date.now() + READY_LIMIT_MS; Date.now() < deadline; await sleep(100))
    if (await takes(connection, namespace, names)) return;
  throw new PortolanError('TEMPORAL_UNREACHABLE', 'Temporal rejects the search attributes');
}

/** Names of attributes the namespace lacks. */
export async function missingSearchAttributes(connection: Connection, namespace: string): Promise<string[]> {
  if (await takes(connection, namespace, names)) return [];
  const missing: string[] = [];
  for (const name of names) if (!(await takes(connection, namespace, [name]))) missing.push(name);
  return missing;
}

/** Checks by a query whether the server knows the attributes; needs only the right to list runs. */
async function takes(
  { workflowService }: Connection,
  namespace: string,
  attributes: readonly string[],
): Promise<boolean> {
  const query = attributes.map((name) => `${name} = 'none'`).join(' AND ');
  try {
    await workflowService.countWorkflowExecutions({ namespace, query });
    return true;
  } catch (thrown) {
    if (isRefusedQuery(thrown)) return false;
    throw thrown;
  }
}

async function register(
  connection: Connection,
  namespace: string,
  missing: readonly string[],
): Promise<void> {
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]));
  try {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (thrown) {
    if (isAlreadyThere(thrown)) return;
    const refused = refusedRight(thrown);
    if (refused === undefined) throw thrown;
    const saw = `lacks the search attributes ${missing.join(', ')}, and this account may not create them: ${refused}`;
    throw new PortolanError('SEARCH_ATTRIBUTES_MISSING', `Namespace "${namespace}" of Temporal ${saw}`, {
      hint: registeringWords(connection, namespace, missing),
    });
  }
}

/** How to register missing search attributes if this account is not allowed to. */
export const registeringWords = (
  connection: Connection,
  namespace: string,
  missing: readonly string[],
): string =>
  isAtCloud(connection)
    ? `Ask an administrator of the namespace to run: tcld namespace search-attributes add --namespace ${namespace} ${missing.map((name) => `--search-attribute ${name}=Keyword`).join(' ')}`
    : `Ask an operator to run: temporal operator search-attribute create --namespace ${namespace} ${missing.map((name) => `--type Keyword --name ${name}`).join(' ')}`;
