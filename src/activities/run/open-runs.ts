import { Context } from '@temporalio/activity';
import { searchAttributeNames } from '../../model/run/search-attributes';

/** Ids of all runs that have not ended: what they keep in the store is still needed. */
export async function openRuns(): Promise<ReadonlySet<string>> {
  const { client } = Context.current();
  const query = `${searchAttributeNames.kind} IS NOT NULL AND ExecutionStatus = 'Running'`;
  const open = new Set<string>();
  for await (const { workflowId } of client.workflow.list({ query })) open.add(workflowId);
  return open;
}
