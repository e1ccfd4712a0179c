/** Whether an execution is open; a paused one continues when it is unpaused. */
export const isOpenExecution = ({ name }: { readonly name: string }): boolean =>
  name === 'RUNNING' || name === 'PAUSED';

/** The same for Temporal's index. Servers that cannot pause refuse the name of that status. */
export const openExecutions = 'CloseTime IS NULL';
