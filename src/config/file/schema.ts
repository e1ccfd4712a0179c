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

/** `scheduleProblems` sees to what its values mean. */
export const schedule = z.strictObject({
  kind: z.enum(scheduledKinds).default('backup').describe('what is started by the clock'),
  route: z.string().min(1).optional().meta({
    form: 'name of a route',
    description: 'of what; the route is frozen into the schedule as it is when it is applied',
  }),
  pipeline: z.string().min(1).optional().meta({
    form: 'name of a pipeline',
    description: 'the same of a release or a promotion, in place of a route',
  }),
  stage: z
    .string()
    .min(1)
    .optional()
    .meta({ form: 'name of a stage', description: 'of a promotion: where to' }),
  release: z.string().min(1).optional().meta({
    form: 'id of a release, or an end of it',
    unset: 'the latest one that may go there',
    description: 'of a promotion: what',
  }),
  reason: z
    .string()
    .min(1)
    .optional()
    .describe('of a release or a promotion: why; kept in the release, or in the history of the stage'),
  cron: z.string('write the five fields of cron in quotes').meta({
    form: 'five fields',
    description:
      'minute, hour, day of month, month, day of week; where both days are given, both have to fit',
  }),
  timezone: z
    .string()
    .min(1)
    .default('UTC')
    .meta({ form: 'name', description: 'time zone of the fields, such as Europe/Berlin' }),
  jitter: duration.prefault('0s').describe('spreads the starts over so long'),
  overlap: z
    .enum(overlaps)
    .default('skip')
    .describe(
      'what is due while a run still goes on is left out, waits for its end (one, or all), or cancels it',
    ),
  catchup: duration
    .prefault('1h')
    .describe('what was due so long ago while Temporal was down is made up for'),
  paused: z.boolean().optional().meta({
    unset: 'as it is',
    description: 'starts nothing; `false` also undoes a pause that somebody made by hand',
  }),
  note: z.string().min(1).optional().describe('what it is for, or why it is paused'),
  import: z.boolean().optional().describe('of a drill: import too, into a scratch portal'),
});
export type ScheduleFile = z.infer<typeof schedule>;

const asList = 'is not run by a shell; write the program and its arguments as a list, [PROGRAM, ARGUMENT]';

/** Exactly one of `command` and `webhook`, which `crossProblems` sees to. */
const notify = z.strictObject({
  name: name.optional().meta({
    form: 'name',
    unset: 'its place, such as notify.0',
    description:
      'under which `hook list` and `hook test` know it; a message that is still to come goes by it',
  }),
  on: z
    .array(z.enum(notifyEvents))
    .min(1, 'write at least one event, or leave it out for all that are about trouble')
    .default([...troubleEvents])
    .meta({
      unset: 'all but started, succeeded, promoted and rolled-back',
      description: '[what is notified](../guide/notifications.md)',
    }),
  command: z
    .array(z.string(asList), asList)
    .refine(([program]) => Boolean(program), asList)
    .optional()
    .meta({ form: 'list of words', description: 'program and arguments that are started for it' }),
  webhook: z
    .union([z.string(), ...secretReferences], {
      error: () => 'write the URL, { env: NAME }, { file: PATH } or { command: [PROGRAM, ARGUMENT] }',
    })
    .optional()
    .meta({
      form: 'URL or secret',
      description: 'where it is posted to, as text or kept as a secret; https, or http to this machine only',
    }),
  secret: signingSecrets.optional().meta({
    unset: 'not signed',
    description:
      'signs what is posted as [Standard Webhooks](../guide/notifications.md#signatures) say; with each of two while one is exchanged for another',
  }),
  insecure: z.boolean().default(false).describe('allows plain http to another machine'),
});
export type NotifyFile = z.infer<typeof notify>;

/** The limits that portals of the vendor's kind document; a portal that allows more has them raised here. */
const limits = z
  .strictObject({
    packageBytes: size
      .prefault(PACKAGE_BYTES_MAX)
      .describe('largest package; what weighs more goes in several'),
    itemBytes: size.prefault(ITEM_BYTES_MAX).describe('largest item'),
    freeDiskBytes: size
      .prefault(FREE_DISK_BYTES_MIN)
      .describe('room that a content store must have, where the portal says it'),
  })
  .prefault({});

const temporal = z.strictObject({
  address: hostAndPort.optional().meta({
    form: 'HOST:PORT',
    unset: '`TEMPORAL_ADDRESS`, else localhost:7233',
    description: 'the Temporal server; `up` takes addresses of this machine only',
  }),
  namespace: z
    .string()
    .min(1)
    .optional()
    .meta({ unset: '`TEMPORAL_NAMESPACE`, else default', description: 'its namespace' }),
  taskQueue: z
    .string()
    .min(1)
    .default('portolan')
    .describe('calls travel on it, files on the one with `-transfer` behind its name'),
  state: z
    .string()
    .min(1)
    .default('./var/temporal')
    .meta({ form: 'folder', description: "where `up` keeps the server's database and log" }),
  worker: workerTuning.prefault({}),
  encryption: encryption.optional(),
});

const control = z.strictObject({
  key: secret.optional().meta({
    unset: '`./var/control.key`, made when needed',
    description:
      '[signs starts and answers](../guide/access.md#approvers-and-signatures); at least 32 characters, the same for all who start, answer and work',
  }),
  maxAge: duration.prefault('7d').meta({
    description: 'how long a start or an answer is good for that waits for a worker',
  }),
});

const metrics = z.strictObject({
  address: hostAndPort.meta({
    form: 'HOST:PORT',
    unset: 'nowhere',
    description: 'where a worker offers metrics to Prometheus, at `/metrics`',
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
        unset: '`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, else `OTEL_EXPORTER_OTLP_ENDPOINT`, else nowhere',
        description:
          'a receiver of OTLP over HTTP, to whose `/v1/traces` [traces](../guide/observability.md#traces) are sent, such as http://localhost:4318',
      }),
    headers: secret.optional().meta({
      unset: 'none',
      description:
        'what it is shown besides, as `name=value,name=value`; over https, or to this machine. `OTEL_EXPORTER_OTLP_HEADERS` is for the address of the variables alone',
    }),
    sample: z
      .number('write a number from 0 to 1')
      .min(0, 'write a number from 0 to 1')
      .max(1, 'write a number from 0 to 1')
      .optional()
      .meta({
        form: 'number from 0 to 1',
        unset: 'as `OTEL_TRACES_SAMPLER` says, else 1',
        description: 'which part of the traces is sent that begin here',
      }),
  })
  .superRefine(({ endpoint, headers }, context) => {
    const problem = headers && telemetryHeadersProblem(endpoint);
    if (problem !== undefined) context.addIssue({ code: 'custom', path: ['headers'], message: problem });
  });

/** When a change of a part of the file counts; the page on the configuration has it at each key. */
const atRestart = { effect: 'restart' };
const atOnce = { effect: 'at once' };
const atNextRun = { effect: 'next run' };

/**
 * portolan.yaml. Whatever it does not name is refused, so that a misspelt key is not silently ignored. What each key
 * means stands at it, and is what docs/reference/configuration.md says: `description`; `form` and `unset` where the
 * type and the default do not say it.
 */
export const configFile = z.strictObject({
  temporal: temporal.prefault({}).meta(atRestart),
  store: store.meta(atOnce),
  control: control.prefault({}).meta(atOnce),
  limits: limits.meta(atNextRun),
  portals: z.record(name, portal).meta(atOnce),
  routes: z.record(name, route).default({}).meta(atNextRun),
  pipelines: z.record(pipelineName, pipeline).default({}).meta(atNextRun),
  schedules: z.record(name, schedule).default({}).meta({ effect: '`schedule apply`' }),
  notify: z.array(notify).default([]).meta(atOnce),
  hooks: z.record(name, hook).default({}).meta(atRestart),
  metrics: metrics.optional().meta(atRestart),
  tracing: tracing.optional().meta(atRestart),
  serve: serve.prefault({}).meta(atRestart),
});
export type ConfigFile = z.infer<typeof configFile>;
