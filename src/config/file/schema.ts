import { z } from 'zod';
import { notifyEvents, troubleEvents } from '../../model/run/notification';
import { overlaps, scheduledKinds } from '../../model/schedule/schedule';
import { withoutTrailingSlashes } from '../../model/text/trailing-slashes';
import { FREE_DISK_BYTES_MIN, ITEM_BYTES_MAX, PACKAGE_BYTES_MAX } from '../../portal/http/limits';
import { telemetryHeadersProblem, telemetryUrlProblem } from '../portal-url';
import {
  duration,
  hostAndPort,
  name,
  pipelineName,
  secret,
  secretReferences,
  signingSecrets,
  size,
} from './plain-values';
import { encryption } from './encryption-schema';
import { hook } from './hook-schema';
import { pipeline } from './pipeline-schema';
import { portal } from './portal-schema';
import { route } from './route-schema';
import { serve } from './serve-schema';
import { workerTuning } from './worker-schema';
import { store } from './store-schema';

/** `scheduleProblems` checks the values against the rest of the file. */
export const schedule = z.strictObject({
  kind: z.enum(scheduledKinds).default('backup').describe('kind of run to start'),
  route: z.string().min(1).optional().meta({
    form: 'route',
    description: 'route, copied into the schedule when applied',
  }),
  pipeline: z.string().min(1).optional().meta({
    form: 'pipeline',
    description: 'for `release` and `promote`, instead of a route',
  }),
  stage: z.string().min(1).optional().meta({ form: 'stage', description: 'for `promote`: target stage' }),
  release: z.string().min(1).optional().meta({
    form: 'release ID or suffix',
    unset: 'latest eligible',
    description: 'for `promote`',
  }),
  reason: z.string().min(1).optional().describe('for `release` and `promote`'),
  cron: z.string('write the five fields of cron in quotes').meta({
    form: 'five fields',
    description:
      'minute, hour, day of month, month, day of week; if both day fields are set, both must match (unlike cron)',
  }),
  timezone: z.string().min(1).default('UTC').meta({ form: 'name', description: 'time zone of `cron`' }),
  jitter: duration.prefault('0s').describe('spread starts over this time'),
  overlap: z.enum(overlaps).default('skip').describe('if a run is still open'),
  catchup: duration.prefault('1h').describe('start what was missed within this time while Temporal was down'),
  paused: z.boolean().optional().meta({
    unset: 'unchanged',
    description: 'start nothing; `false` also ends a manual pause',
  }),
  note: z.string().min(1).optional().describe('purpose, or reason for the pause'),
  import: z.boolean().optional().describe('for `drill`: also import, into a scratch portal'),
});
export type ScheduleFile = z.infer<typeof schedule>;

const asList = 'write the program and its arguments as a list, [PROGRAM, ARGUMENT]; no shell splits them';

/** `crossProblems` requires exactly one of `command` and `webhook`. */
const notify = z.strictObject({
  name: name.optional().meta({
    form: 'name',
    unset: 'its position, such as notify.0',
    description: 'name in `hook list`; identifies pending messages',
  }),
  on: z
    .array(z.enum(notifyEvents))
    .min(1, 'write at least one event, or leave it out for all problem events')
    .default([...troubleEvents])
    .meta({
      unset: 'all but started, succeeded, promoted and rolled-back',
      description: '[events to send](../guide/notifications.md)',
    }),
  command: z
    .array(z.string(asList), asList)
    .refine(([program]) => Boolean(program), asList)
    .optional()
    .meta({ form: 'texts', description: 'program and arguments to run' }),
  webhook: z
    .union([z.string(), ...secretReferences], {
      error: () => 'write the URL, { env: NAME }, { file: PATH } or { command: [PROGRAM, ARGUMENT] }',
    })
    .optional()
    .meta({
      form: 'URL or secret',
      description: 'URL to post to',
    }),
  secret: signingSecrets.optional().meta({
    unset: 'not signed',
    description: 'signs posts ([Standard Webhooks](../guide/notifications.md)); list two to rotate',
  }),
  insecure: z.boolean().default(false).describe('allow plain http to other machines'),
});
export type NotifyFile = z.infer<typeof notify>;

/** Documented portal limits; raise them for a portal that allows more. */
const limits = z
  .strictObject({
    packageBytes: size
      .prefault(PACKAGE_BYTES_MAX)
      .describe('largest export package; larger groups are split'),
    itemBytes: size.prefault(ITEM_BYTES_MAX).describe('largest item'),
    freeDiskBytes: size
      .prefault(FREE_DISK_BYTES_MIN)
      .describe('free disk space the portal needs, if it reports any'),
  })
  .prefault({});

const temporal = z.strictObject({
  address: hostAndPort.optional().meta({
    form: 'HOST:PORT',
    unset: '`TEMPORAL_ADDRESS`, else localhost:7233',
    description: 'the Temporal server; `up` accepts this machine only',
  }),
  namespace: z
    .string()
    .min(1)
    .optional()
    .meta({ unset: '`TEMPORAL_NAMESPACE`, else default', description: 'the Temporal namespace' }),
  taskQueue: z
    .string()
    .min(1)
    .default('portolan')
    .describe('task queue; transfers use it with `-transfer` appended'),
  state: z
    .string()
    .min(1)
    .default('./var/temporal')
    .meta({ form: 'folder', description: 'database and log of the server that `up` starts' }),
  worker: workerTuning.prefault({}),
  encryption: encryption.optional(),
});

const control = z.strictObject({
  key: secret.optional().meta({
    unset: '`./var/control.key`, created when needed',
    description: '[signs starts and decisions](../guide/access.md); the same everywhere',
  }),
  maxAge: duration.prefault('7d').meta({
    description: 'how long a start or decision waiting for a worker stays valid',
  }),
});

const metrics = z.strictObject({
  address: hostAndPort.meta({
    form: 'HOST:PORT',
    unset: 'off',
    description: 'metrics of a worker for Prometheus, at `/metrics`',
  }),
});

const tracing = z
  .strictObject({
    endpoint: z
      .string()
      .superRefine((text, context) => {
        const problem =
          telemetryUrlProblem(text) ?? (/[?#]/.test(text) ? 'must not hold a query' : undefined);
        if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
      })
      .transform(withoutTrailingSlashes)
      .meta({
        form: 'URL',
        unset: '`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, else `OTEL_EXPORTER_OTLP_ENDPOINT`, else off',
        description:
          'OTLP/HTTP receiver of [traces](../guide/observability.md), such as http://localhost:4318',
      }),
    headers: secret.optional().meta({
      unset: 'none',
      description: 'as `name=value,name=value`. `OTEL_EXPORTER_OTLP_HEADERS` never applies to `endpoint`',
    }),
    sample: z
      .number('write a number from 0 to 1')
      .min(0, 'write a number from 0 to 1')
      .max(1, 'write a number from 0 to 1')
      .optional()
      .meta({
        form: 'number from 0 to 1',
        unset: 'as `OTEL_TRACES_SAMPLER` says, else 1',
        description: 'share of the traces started here that is sent',
      }),
  })
  .superRefine(({ endpoint, headers }, context) => {
    const problem = headers && telemetryHeadersProblem(endpoint);
    if (problem !== undefined) context.addIssue({ code: 'custom', path: ['headers'], message: problem });
  });

/** When a change takes effect. docs/reference/configuration.md shows it per section. */
const atRestart = { effect: 'restart' };
const atOnce = { effect: 'at once' };
const atNextRun = { effect: 'next run' };

/**
 * portolan.yaml. Unknown keys are errors, so that a misspelled key is not silently ignored. The metadata of each key
 * makes docs/reference/configuration.md: `description`; `form` and `unset` if type and default are not enough.
 */
export const configFile = z.strictObject({
  temporal: temporal.prefault({}).meta(atRestart),
  store: store.meta(atOnce),
  control: control.prefault({}).meta(atOnce),
  limits: limits.meta(atNextRun),
  portals: z.record(name, portal).meta(atOnce),
  routes: z.record(name, route).default({}).meta(atNextRun),
  pipelines: z.record(pipelineName, pipeline).default({}).meta(atNextRun),
  schedules: z.record(name, schedule).default({}).meta({ effect: 'schedule apply' }),
  notify: z.array(notify).default([]).meta(atOnce),
  hooks: z.record(name, hook).default({}).meta(atRestart),
  metrics: metrics.optional().meta(atRestart),
  tracing: tracing.optional().meta(atRestart),
  serve: serve.prefault({}).meta(atRestart),
});
export type ConfigFile = z.infer<typeof configFile>;
