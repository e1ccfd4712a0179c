import { z } from 'zod';
import type { Notice } from '../run/notification';
import type { Signed } from '../run/signature';

/** Name of the workflow on the wire. */
export const watchWorkflow = 'watchAge';

/** What the watch over the age of snapshots is started with. */
export interface WatchInput extends Signed {
  readonly routes: readonly WatchedRoute[];
}

export interface WatchedRoute {
  readonly name: string;
  /** Of the source. */
  readonly groupId: string;
  /** How old the last good snapshot may be. @format milliseconds */
  readonly maxAgeMs: number;
}

/** The state of a route that is not as it should be, or that was looked at for the first time. */
export const ageNote = z.object({
  /** When no good snapshot was seen first. */
  since: z.iso.datetime(),
  /** When people were notified last that there is none that is young enough, and how often they were. */
  notifiedAt: z.iso.datetime().optional(),
  notified: z.number(),
});
export type AgeNote = z.infer<typeof ageNote>;

/** What a look at a route came to. */
export interface AgeLook {
  readonly route: WatchedRoute;
  /** Age of the last good snapshot. @format milliseconds */
  readonly ageMs?: number;
  /** Of what people are to be notified now. */
  readonly notice?: Notice;
  /** What is to be noted of the route once they are; null takes away what was. @default what is noted stays */
  readonly note?: AgeNote | null;
}
