/** What a change of a portal does, in this order. */
export const changeSteps = ['read', 'write', 'check'] as const;
export type ChangeStep = (typeof changeSteps)[number];
