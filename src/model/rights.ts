/** Rights of a caller; each includes `view`. */
export const rights = ['view', 'start', 'operate', 'approve'] as const;
export type Right = (typeof rights)[number];
