import { z } from 'zod';
import { ruleRoute } from '../snapshot/rule-route';

/** What a schedule of portolan.yaml starts. */
export const fileKinds = ['backup', 'sync', 'drill', 'release', 'promote'] as const;
/** What a schedule starts; that of a rule stands with the rule. */
export const scheduledKinds = [...fileKinds, 'protect'] as const;
export type ScheduledKind = (typeof scheduledKinds)[number];

/** What to do if the last run is still open when the next is due. */
export const overlaps = ['skip', 'buffer-one'] as const;
export type Overlap = (typeof overlaps)[number];

/** When a schedule is due, and how it starts what it starts. */
interface ScheduleTimes {
  readonly name: string;
  /** Five fields: minute, hour, day of month, month, day of week; one blank between them. */
  readonly cron: string;
  /** IANA name. @default 'UTC' */
  readonly timezone: string;
  /** @default 'skip' */
  readonly overlap: Overlap;
  /** @default as it is on the server; a new one is not paused */
  readonly paused?: boolean;
}

/** What a schedule starts, by names of portolan.yaml. */
type ScheduledStart =
  | {
      readonly kind: 'backup' | 'sync' | 'drill';
      readonly route: string;
      /** Of a drill: imports too, into a scratch portal. @default false */
      readonly import?: boolean;
    }
  | {
      readonly kind: 'release';
      readonly pipeline: string;
      /** Kept in each release. */
      readonly reason?: string;
    }
  | {
      readonly kind: 'promote';
      readonly pipeline: string;
      readonly stage: string;
      /** Kept in the history of the stage. */
      readonly reason?: string;
    }
  | {
      readonly kind: 'protect';
      readonly portal: string;
      readonly rule: string;
    };

/** A schedule as portolan.yaml has it. */
export type ScheduleSpec = ScheduleTimes & ScheduledStart;

/** Name of the route, pipeline or rule whose runs it starts. */
export function subjectOf(start: ScheduledStart): string {
  if ('route' in start) return start.route;
  return 'rule' in start ? ruleRoute(start.portal, start.rule) : start.pipeline;
}

/** Under this key of what it starts, a schedule of portolan.yaml says so; one that another tool made does not. */
export const scheduleMemoKey = 'portolanSchedule';

/** What the file says of the pause: it tells a pause by hand from one of the file. */
const scheduleMemo = z.object({ paused: z.boolean().optional() });
export type ScheduleMemo = z.infer<typeof scheduleMemo>;

export function readScheduleMemo(memo: Record<string, unknown> | undefined): ScheduleMemo | undefined {
  const parsed = scheduleMemo.safeParse(memo?.[scheduleMemoKey]);
  return parsed.success ? parsed.data : undefined;
}

/**
 * What Portolan writes behind the times of a schedule. Temporal's list returns it, and of what a schedule starts it
 * returns only the type of the workflow.
 */
export interface TimesNote {
  /** As the file has it: Temporal keeps what it comes to. */
  readonly cron: string;
  /** Digest of the whole schedule. */
  readonly mark: string;
  /** When the schedule was created. @format milliseconds since the epoch */
  readonly createdAt: number;
}

/** `30 2 * * * [3f2a9c0d11e2b4aa 2026-11-27T03:12:18.000Z]` */
export const timesNote = ({ cron, mark, createdAt }: TimesNote): string =>
  `${cron} [${mark} ${new Date(createdAt).toISOString()}]`;

/** Undefined if Portolan did not write it. */
export function readTimesNote(text = ''): TimesNote | undefined {
  const [, cron, mark, time = ''] = /^(.+) \[([0-9a-f]{16}) (\S+)\]$/.exec(text) ?? [];
  const createdAt = Date.parse(time);
  return cron === undefined || mark === undefined || Number.isNaN(createdAt)
    ? undefined
    : { cron, mark, createdAt };
}
