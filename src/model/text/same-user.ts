/** Whether two names are those of one user of a portal, where names are unique whatever their case. */
export const isSameUser = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && one.toLowerCase() === other?.toLowerCase();
