export const addressOfRoute = (route: string): string => `/backups/${encodeURIComponent(route)}`;

export const addressOfPipeline = (pipeline: string): string => `/pipelines/${encodeURIComponent(pipeline)}`;

/** @param portal as backups name it */
export const addressOfItem = (itemId: string, portal: string): string =>
  `/items/${encodeURIComponent(itemId)}?portal=${encodeURIComponent(portal)}`;
