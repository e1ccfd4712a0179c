/** Whether Temporal still has an execution open: one that somebody paused there continues when they unpause it. */
export const isOpenExecution = ({ name }: { readonly name: string }): boolean =>
  name === 'RUNNING' || name === 'PAUSED';

/** The same for Temporal's index. Servers that cannot pause refuse the name of that status. */
export const openExecutions = 'CloseTime IS NULL';
