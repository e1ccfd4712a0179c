/** The short form that people are told to type: what follows the last hyphen. */
export const shortRunId = (runId: string): string => runId.slice(runId.lastIndexOf('-') + 1);

/**
 * The run of a part of a hunt, numbered from 1: ends like the hunt, so that both are found together. Numbers of one
 * length stand in no other id.
 */
export const partRunId = (huntId: string, number: number): string =>
  `${partPrefix(huntId)}${String(number).padStart(3, '0')}`;

export const isPartOf = (runId: string, huntId: string): boolean => runId.startsWith(partPrefix(huntId));

const partPrefix = (huntId: string): string => `${huntId.replace(/^hunt-/, 'sync-')}n`;
