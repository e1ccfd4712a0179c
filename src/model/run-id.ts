/** The short form that people are told to type: what follows the last hyphen. */
export const shortRunId = (runId: string): string => runId.slice(runId.lastIndexOf('-') + 1);
