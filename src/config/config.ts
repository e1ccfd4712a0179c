import { z } from 'zod';
import { fileKinds, overlaps } from '../model/schedule/schedule';
import { cron, timezone, hostAndPort, named, pipelineName, secret, size } from './file/plain-values';
import path from 'node:path';
import { FREE_DISK_BYTES_MIN, ITEM_BYTES_MAX, PACKAGE_BYTES_MAX } from '../portal/http/limits';
import { Secret } from '../secrets/secret';
import { hook, notify } from './file/notify-schema';
import { pipeline } from './file/pipeline-schema';
import { portal } from './file/portal-schema';
import { route } from './file/route-schema';
import { serve } from './file/serve-schema';
import { store } from './file/store-schema';
import { temporal } from './file/temporal-schema';
import { temporalDefaults } from './temporal/temporal-connection';

/** The cross-checks hold its values against the rest of the file. */
export const schedule = z
  .strictObject({
    kind: z.enum(fileKinds).default('backup').describe('kind of run to start'),
    route: z.string().min(1).optional().meta({
      form: 'route',
      description: 'route, copied into the schedule when applied',
    }),
    pipeline: z.string().min(1).optional().meta({
      form: 'pipeline',
      description: 'for `release` and `promote`, instead of a route',
    }),
    stage: z.string().min(1).optional().meta({ form: 'stage', description: 'for `promote`: target stage' }),
    reason: z.string().min(1).optional().describe('for `release` and `promote`'),
    cron: cron.describe(
      'minute, hour, day of month, month, day of week; if both day fields are set, both must match (unlike cron)',
    ),
    timezone: timezone.describe('time zone of `cron`'),
    overlap: z.enum(overlaps).default('skip').describe('if a run is still open'),
    paused: z.boolean().optional().meta({
      unset: 'unchanged',
      description: 'start nothing; `false` also ends a manual pause',
    }),
    import: z.boolean().optional().describe('for `drill`: also import, into a scratch portal'),
  })
  .transform(({ kind, route = '', pipeline = '', stage = '', reason, import: imports, ...times }) => {
    switch (kind) {
      case 'release':
        return { ...times, kind, pipeline, reason };
      case 'promote':
        return { ...times, kind, pipeline, stage, reason };
      default:
        return { ...times, kind, route, import: imports };
    }
  });

/** Documented portal limits; raise them for a portal that allows more. */
const limits = z.strictObject({
  packageBytes: size.prefault(PACKAGE_BYTES_MAX).describe('largest export package; larger groups are split'),
  itemBytes: size.prefault(ITEM_BYTES_MAX).describe('largest item'),
  freeDiskBytes: size
    .prefault(FREE_DISK_BYTES_MIN)
    .describe('free disk space the portal needs, if it reports any'),
});

const control = z.strictObject({
  key: secret
    .default(() => new Secret({ created: path.join('var', 'control.key') }))
    .meta({
      unset: '`./var/control.key`, created when needed',
      description: '[signs starts and decisions](../guide/access.md); the same everywhere',
    }),
});

const metrics = z.strictObject({
  address: hostAndPort.meta({
    form: 'HOST:PORT',
    unset: 'off',
    description: 'metrics of a worker for Prometheus, at `/metrics`',
  }),
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
  limits: limits.prefault({}).meta(atNextRun),
  portals: named(portal).meta(atOnce),
  routes: named(route).prefault({}).meta(atNextRun),
  pipelines: named(pipeline, pipelineName).prefault({}).meta(atNextRun),
  schedules: named(schedule).prefault({}).meta({ effect: 'schedule apply' }),
  notify: z.array(notify).default([]).meta(atOnce),
  hooks: named(hook).prefault({}).meta(atRestart),
  metrics: metrics.optional().meta(atRestart),
  serve: serve.prefault({}).meta(atRestart),
});

/** The configuration, with absolute paths. Tells each secret its place and the folder that its file is seen from. */
export function locate(file: string, given: z.output<typeof configFile>) {
  const folder = path.dirname(file);
  const at = (name: string): string => path.resolve(folder, name);
  for (const [place, each] of secretsIn(given)) each.locate(place, folder);
  const { key: storeKey, ...keptIn } = given.store;
  const { tls } = given.serve;
  return {
    ...given,
    path: file,
    temporal: { ...temporalDefaults(), ...given.temporal, state: at(given.temporal.state) },
    store: keptIn.type === 'local' ? { ...keptIn, path: at(keptIn.path) } : keptIn,
    /** Authenticates the content of the store. */
    storeKey,
    serve: { ...given.serve, tls: tls && { cert: at(tls.cert), key: at(tls.key) } },
    portals: new Map(
      [...given.portals].map(([name, each]) => [name, { ...each, ca: each.ca && at(each.ca) }]),
    ),
    notify: given.notify.map((each, index) => {
      const setting = `notify.${index}`;
      return { ...each, setting, name: each.name ?? setting, folder };
    }),
  };
}

/** The secrets in a configuration, each with its place. */
export function* secretsIn(value: unknown, place = ''): Generator<readonly [place: string, Secret]> {
  if (value instanceof Secret) return yield [place, value];
  if (typeof value !== 'object' || value === null) return;
  // One secret that signs is written without a list.
  if (Array.isArray(value) && value.length === 1 && value[0] instanceof Secret)
    return yield [place, value[0]];
  for (const [key, each] of value instanceof Map ? value : Object.entries(value))
    yield* secretsIn(each, place === '' ? String(key) : `${place}.${key}`);
}

/** portolan.yaml with defaults, absolute paths and units resolved; secrets are still unread. */
export type Config = Immutable<ReturnType<typeof locate>>;

type Immutable<T> = T extends Secret
  ? T
  : T extends ReadonlyMap<string, infer Each>
    ? ReadonlyMap<string, Immutable<Each>>
    : T extends object
      ? { readonly [Key in keyof T]: Immutable<T[Key]> }
      : T;

type Entry<Map> = Map extends ReadonlyMap<string, infer Each> ? Each : never;
export type TemporalConfig = Config['temporal'];
export type EncryptionConfig = NonNullable<TemporalConfig['encryption']>;
export type PortalConfig = Entry<Config['portals']>;
export type RuleConfig = Entry<PortalConfig['protect']>;
export type RouteConfig = Entry<Config['routes']>;
export type PipelineConfig = Entry<Config['pipelines']>;
export type StageConfig = PipelineConfig['stages'][number];
export type CheckConfig = StageConfig['checks'][number];
export type NotifyConfig = Config['notify'][number];
export type HookConfig = Entry<Config['hooks']>;
export type ServeConfig = Config['serve'];
export type ServeKey = Entry<ServeConfig['keys']>;
export type SignInConfig = NonNullable<ServeConfig['signIn']>;
export type PeopleConfig = SignInConfig['people'][number];
/** Rights of a caller of the API. */
export type Allowance = Pick<ServeKey, 'rights' | 'routes' | 'pipelines'>;
