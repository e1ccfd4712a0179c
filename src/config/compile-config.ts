import path from 'node:path';
import type { HookFile } from './file/hook-schema';
import type {
  AuthConfig,
  Config,
  EncryptionConfig,
  HookConfig,
  NotifyConfig,
  PipelineConfig,
  PortalConfig,
  RouteConfig,
  SignInConfig,
  TracingConfig,
} from './config';
import type { RetentionPolicy } from '../model/snapshot/retention';
import type { PipelineFile } from './file/pipeline-schema';
import type { PolicyFile, RouteFile } from './file/route-schema';
import type { ServeFile } from './file/serve-schema';
import type { AuthFile, PortalFile } from './file/portal-schema';
import type { ConfigFile, NotifyFile, ScheduleFile } from './file/schema';
import { compileWindow } from './file/window-schema';
import { Secret } from '../secrets/secret';
import { compileMap } from './map-checks';
import { compileCheck } from './stage-checks';
import { temporalDefaults } from './temporal/temporal-connection';
import type { S3StoreConfig } from '../store/store-config';
import type { StoreFile } from './file/store-schema';
import type { ScheduleSpec } from '../model/schedule/schedule';

/** Compiles a valid file into the configuration the program uses. */
export function compileConfig(file: string, given: ConfigFile): Config {
  const folder = path.dirname(file);
  const fallback = temporalDefaults();
  return {
    path: file,
    temporal: {
      address: given.temporal.address ?? fallback.address,
      namespace: given.temporal.namespace ?? fallback.namespace,
      taskQueue: given.temporal.taskQueue,
      state: path.resolve(folder, given.temporal.state),
      worker: compileWorker(given.temporal.worker),
      encryption: compileEncryption(given.temporal.encryption, folder),
    },
    ...compileStore(given.store, folder),
    control: compileControl(given.control, folder),
    limits: given.limits,
    metrics: given.metrics,
    tracing: compileTracing(given.tracing, folder),
    serve: compileServe(given.serve, folder),
    portals: mapEntries(given.portals, (name, portal) => compilePortal(name, portal, folder)),
    routes: mapEntries(given.routes, compileRoute),
    pipelines: mapEntries(given.pipelines, compilePipeline),
    schedules: mapEntries(given.schedules, compileSchedule),
    notify: given.notify.map((receiver, index) => compileNotify(`notify.${index}`, receiver, folder)),
    hooks: mapEntries(given.hooks, (name, hook) => compileHook(name, hook, folder)),
  };
}

const compileEncryption = (
  given: ConfigFile['temporal']['encryption'],
  folder: string,
): EncryptionConfig | undefined =>
  given && {
    ...given,
    keys: given.keys.map(({ id, key }, index) => ({
      id,
      key: new Secret(key, `temporal.encryption.keys.${index}.key`, folder),
    })),
  };

const compileTracing = (given: ConfigFile['tracing'], folder: string): TracingConfig | undefined =>
  given && {
    endpoint: given.endpoint,
    headers: given.headers && new Secret(given.headers, 'tracing.headers', folder),
    sample: given.sample,
  };

const compileControl = ({ key, maxAge }: ConfigFile['control'], folder: string): Config['control'] => ({
  key: key
    ? { secret: new Secret(key, 'control.key', folder) }
    : { file: path.resolve(folder, 'var', 'control.key') },
  maxAgeMs: maxAge,
});

const compileWorker = ({
  sticky,
  ...given
}: ConfigFile['temporal']['worker']): Config['temporal']['worker'] => ({ ...given, stickyMs: sticky });

function compileServe({ keys, signIn, tls, ...given }: ServeFile, folder: string): Config['serve'] {
  return {
    ...given,
    tls: tls && { cert: path.resolve(folder, tls.cert), key: path.resolve(folder, tls.key) },
    keys: mapEntries(keys, (name, key) => ({ name, ...key })),
    signIn: signIn && compileSignIn(signIn),
  };
}

const compileSignIn = ({ session, ...given }: Required<ServeFile>['signIn']): SignInConfig => ({
  ...given,
  sessionMs: session,
});

function compilePortal(name: string, given: PortalFile, folder: string): PortalConfig {
  const { url, aliases, insecure, timeout, proxy, concurrency, role } = given;
  const ca = given.ca === undefined ? undefined : path.resolve(folder, given.ca);
  return {
    name,
    url,
    aliases,
    insecure,
    responseTimeoutMs: timeout,
    concurrency,
    role,
    policy: {
      ...given.policy,
      windows: given.policy.windows.map(compileWindow),
    },
    proxy,
    ca,
    auth: compileAuth(`portals.${name}.auth`, given.auth, folder),
  };
}

function compileAuth(setting: string, given: AuthFile, folder: string): AuthConfig {
  switch (given.type) {
    case 'password':
      return {
        type: given.type,
        username: given.username,
        secret: new Secret(given.password, `${setting}.password`, folder),
      };
    case 'token':
      return { type: given.type, secret: new Secret(given.token, `${setting}.token`, folder) };
    case 'apiKey':
      return { type: given.type, secret: new Secret(given.apiKey, `${setting}.apiKey`, folder) };
    case 'clientCredentials':
      return {
        type: given.type,
        clientId: given.clientId,
        secret: new Secret(given.clientSecret, `${setting}.clientSecret`, folder),
      };
  }
}

function compileRoute(name: string, given: RouteFile): RouteConfig {
  const { source, target, overwrite, data, approval, items, exclude, take, keepPackages } = given;
  const { taskRun, banner, store, backup } = given;
  return {
    name,
    source,
    target,
    options: {
      overwrite,
      data,
      approval,
      items,
      exclude,
      take,
      fullEveryMs: given.full,
      keepPackages,
      banner,
      jobDeadlineMs: given.jobDeadline,
      decisionTimeoutMs: given.decisionTimeout,
      keep: { succeededMs: store.keep.succeeded, failedMs: store.keep.failed },
    },
    taskRun,
    backup: {
      keep: backup.keep && compilePolicy(backup.keep),
      fullEveryMs: backup.full,
      maxAgeMs: backup.maxAge,
      tags: backup.tags,
      safeguardsMs: backup.safeguards,
      drill: backup.drill,
    },
  };
}

function compilePolicy({ within, ...rules }: PolicyFile): RetentionPolicy {
  return { ...rules, withinMs: within };
}

function compilePipeline(
  name: string,
  { groups, settings, categories, stages }: PipelineFile,
): PipelineConfig {
  const names = Object.keys(stages);
  return {
    ...{ name, groups, settings, categories },
    stages: Object.entries(stages).map(([stage, { soak: soakMs, checks, map, owners, ...given }], index) => ({
      ...given,
      name: stage,
      soakMs,
      after: given.after ?? names[index - 1],
      ...(checks.length > 0 && { checks: checks.map(compileCheck) }),
      map: compileMap(map),
      ...(owners && { owners }),
    })),
  };
}

function compileNotify(setting: string, given: NotifyFile, folder: string): NotifyConfig {
  const { on, webhook, insecure, name = setting } = given;
  const [program, ...args] = given.command ?? [];
  if (program !== undefined) return { setting, name, on, command: [program, ...args], folder };
  if (webhook === undefined) throw new TypeError(`${setting} needs a command or a webhook`);
  const reference = typeof webhook === 'string' ? { text: webhook } : webhook;
  return {
    ...{ setting, name, on, insecure },
    webhook: new Secret(reference, `${setting}.webhook`, folder),
    secrets: compileSecrets(given.secret, `${setting}.secret`, folder),
  };
}

function compileHook(name: string, given: HookFile, folder: string): HookConfig {
  const { route, pipeline, stage, allow } = given;
  const secrets = compileSecrets(given.secret, `hooks.${name}.secret`, folder);
  if (route !== undefined) return { name, secrets, allow, starts: { route } };
  if (pipeline === undefined || stage === undefined) throw new TypeError(`hooks.${name} starts nothing`);
  return { name, secrets, allow, starts: { pipeline, stage } };
}

const compileSecrets = (given: NotifyFile['secret'], setting: string, folder: string): Secret[] =>
  (given ?? []).map(
    (each, index, { length }) => new Secret(each, length > 1 ? `${setting}.${index}` : setting, folder),
  );

const mapEntries = <From, To>(
  given: Record<string, From>,
  compile: (name: string, entry: From) => To,
): ReadonlyMap<string, To> =>
  new Map(Object.entries(given).map(([name, entry]) => [name, compile(name, entry)]));

/** @param folder folder that relative file names are seen from */
function compileStore(given: StoreFile, folder: string): Pick<Config, 'store' | 'storeKey'> {
  const encryption = given.encryption && {
    key: new Secret(given.encryption.key, 'store.encryption.key', folder),
  };
  const storeKey = given.key && { secret: new Secret(given.key, 'store.key', folder) };
  switch (given.type) {
    case 'local': {
      const root = path.resolve(folder, given.path);
      return {
        store: { type: given.type, path: root, encryption },
        storeKey: storeKey ?? { file: `${root}.key` },
      };
    }
    case 's3':
      return {
        store: { ...compileS3(given, folder), encryption },
        storeKey: { secret: new Secret(given.key, 'store.key', folder) },
      };
  }
}

function compileS3(given: StoreFile & { type: 's3' }, folder: string): S3StoreConfig {
  const { type, bucket, prefix, endpoint, region, pathStyle, credentials, sse } = given;
  return {
    type,
    bucket,
    prefix,
    endpoint,
    region,
    pathStyle: pathStyle ?? endpoint !== undefined,
    sse,
    credentials: credentials && {
      accessKeyId: new Secret(credentials.accessKeyId, 'store.credentials.accessKeyId', folder),
      secretAccessKey: new Secret(credentials.secretAccessKey, 'store.credentials.secretAccessKey', folder),
    },
  };
}

/** A schedule of portolan.yaml, with defaults filled in. */
function compileSchedule(name: string, given: ScheduleFile): ScheduleSpec {
  const {
    kind,
    route = '',
    pipeline = '',
    stage = '',
    release,
    reason,
    cron,
    timezone,
    overlap,
    paused,
    note,
  } = given;
  const times = {
    // Normalized, so that it compares equal to the server's text.
    cron: cron.trim().split(/\s+/).join(' '),
    timezone,
    jitterMs: given.jitter,
    overlap,
    catchupMs: given.catchup,
    paused,
    note,
  };
  switch (kind) {
    case 'release':
      return { name, kind, pipeline, reason, ...times };
    case 'promote':
      return { name, kind, pipeline, stage, release, reason, ...times };
    default:
      return { name, kind, route, ...times, import: given.import };
  }
}
