export const addressOfRoute = (route: string): string => `/backups/${encodeURIComponent(route)}`;

export const addressOfPipeline = (pipeline: string): string => `/pipelines/${encodeURIComponent(pipeline)}`;

export const addressOfSchedule = (schedule: string): string => `/schedules/${encodeURIComponent(schedule)}`;
