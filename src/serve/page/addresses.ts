export const addressOfRoute = (route: string): string => `/backups/${encodeURIComponent(route)}`;

export const addressOfPipeline = (pipeline: string): string => `/pipelines/${encodeURIComponent(pipeline)}`;
