/** Of a client of Temporal, what lists runs as the server tells them: nothing of them is decoded. */
interface Listing {
  readonly options: { readonly namespace: string };
  readonly workflowService: {
    listWorkflowExecutions(request: {
      readonly namespace: string;
      readonly query: string;
      readonly nextPageToken?: Uint8Array | null;
    }): Promise<{
      readonly executions?:
        readonly { readonly execution?: { readonly workflowId?: string | null } | null }[] | null;
      readonly nextPageToken?: Uint8Array | null;
    }>;
  };
}

/**
 * Ids of the runs that a query finds. What else stands in them may be of others who share the namespace, and encrypted
 * with a key that nobody has here.
 */
export async function* listedIds(
  { options: { namespace }, workflowService }: Listing,
  query: string,
): AsyncGenerator<string> {
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const page = await workflowService.listWorkflowExecutions({ namespace, query, nextPageToken });
    for (const { execution } of page.executions ?? []) if (execution?.workflowId) yield execution.workflowId;
    ({ nextPageToken } = page);
  } while (nextPageToken && nextPageToken.length > 0);
}
