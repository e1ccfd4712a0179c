/** So few slots that the portals' answers keep them busy long before the machine is. */
export const limiting = { activities: 2, pollers: 2 };

/** `temporal.worker` as it comes, and what somebody may put in its place. */
export const tunings = [
  { name: 'default', what: 'as it comes', tuning: {} },
  { name: 'pollers', what: 'five pollers', tuning: { pollers: 5 } },
  {
    name: 'resources',
    what: 'slots by memory and processors',
    tuning: { resources: { memory: 0.8, cpu: 0.9 } },
  },
] as const;
