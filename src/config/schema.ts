import { z } from 'zod';
import { notifyEvents } from '../model/run/notification';
import { overlaps, scheduledKinds } from '../model/schedule/schedule';
import {
  ANSWER_WITHIN_MS,
  FREE_DISK_BYTES_MIN,
  ITEM_BYTES_MAX,
  PACKAGE_BYTES_MAX,
} from '../portal/http/limits';
import { howMany, name } from './plain-values';
import { portalUrlProblem, withoutSlash } from './portal-url';
import { route } from './route-schema';
import { duration, size } from './units';

const howToWriteSecrets =
  'a secret itself does not belong in this file; write { env: NAME }, { file: PATH } or { command: [PROGRAM, ARGUMENT] }';

const secretReferences = [
  z.strictObject({ env: z.string().min(1) }),
  z.strictObject({ file: z.string().min(1) }),
  z.strictObject({ command: z.array(z.string()).min(1) }),
] as const;

const secret = z.union(secretReferences, {
  error: (issue) => (issue.input === undefined ? 'is missing' : howToWriteSecrets),
});

const auth = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('password'), username: z.string().min(1), password: secret }),
    z.strictObject({ type: z.literal('token'), token: secret }),
    z.strictObject({ type: z.literal('apiKey'), apiKey: secret }),
    z.strictObject({
      type: z.literal('clientCredentials'),
      clientId: z.string().min(1),
      clientSecret: secret,
    }),
  ],
  {
    error: (issue) =>
      issue.code === 'invalid_union' ? 'write password, token, apiKey or clientCredentials' : undefined,
  },
);
export type AuthFile = z.infer<typeof auth>;

const proxy = z.string().superRefine((text, context) => {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    context.addIssue({ code: 'custom', message: 'is not a URL; write it as http://HOST:PORT' });
  } else if (new URL(text).password !== '') {
    context.addIssue({ code: 'custom', message: 'must not hold a password' });
  }
});

function checkEndpoint(text: string, context: z.RefinementCtx): void {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    context.addIssue({ code: 'custom', message: 'is not a URL; write it as https://HOST:PORT' });
  } else if (new URL(text).username !== '' || new URL(text).password !== '') {
    context.addIssue({
      code: 'custom',
      message: 'must not hold credentials; write them as store.credentials',
    });
  }
}

const portalUrl = z.string().transform((text, context) => {
  const problem = portalUrlProblem(text);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  return withoutSlash(text);
});

const portal = z.strictObject({
  url: portalUrl,
  auth,
  /** File with the certificate, in PEM form, that signed the portal's own. */
  ca: z.string().min(1).optional(),
  proxy: proxy.optional(),
  /** Further addresses under which the portal is known. */
  aliases: z.array(z.string().min(1).transform(withoutSlash)).default([]),
  /** Allows plain http to another machine. */
  insecure: z.boolean().default(false),
  /** How long the portal may take to begin an answer. */
  timeout: duration
    .refine((ms) => ms >= 1_000 && ms <= 240_000, 'is from 1s to 4m')
    .default(ANSWER_WITHIN_MS),
  /** Exports and imports that the portal is given at a time, over all routes. */
  atOnce: z.strictObject({ exports: howMany.default(1), imports: howMany.default(1) }).prefault({}),
  /** `scratch`: nobody works there, and drills may import into it. */
  role: z.literal('scratch', 'write scratch, or leave it out').optional(),
});
export type PortalFile = z.infer<typeof portal>;

/** `crossProblems` sees to what its values mean. */
export const schedule = z.strictObject({
  kind: z.enum(scheduledKinds).default('backup'),
  route: z.string().min(1),
  /** Five fields: minute, hour, day of month, month, day of week. */
  cron: z.string('write the five fields of cron in quotes'),
  timezone: z.string().min(1).default('UTC'),
  jitter: duration.default(0),
  overlap: z.enum(overlaps).default('skip'),
  catchup: duration.default(3_600_000),
  paused: z.boolean().optional(),
  note: z.string().min(1).optional(),
  /** Of a drill: import too. */
  import: z.boolean().optional(),
});
export type ScheduleFile = z.infer<typeof schedule>;

const asList =
  'write the program and its arguments as a list, [PROGRAM, ARGUMENT]: no shell takes them apart';

/** Exactly one of `command` and `webhook`, which `crossProblems` sees to. */
const notify = z.strictObject({
  on: z
    .array(z.enum(notifyEvents))
    .min(1, 'write at least one event, or leave it out for all of them')
    .default([...notifyEvents]),
  command: z
    .array(z.string(asList), asList)
    .refine(([program]) => Boolean(program), asList)
    .optional(),
  webhook: z
    .union([z.string(), ...secretReferences], {
      error: () => 'write the URL, { env: NAME }, { file: PATH } or { command: [PROGRAM, ARGUMENT] }',
    })
    .optional(),
  /** Allows plain http to another machine. */
  insecure: z.boolean().default(false),
});
export type NotifyFile = z.infer<typeof notify>;

/** The limits that portals of the vendor's kind document; a portal that allows more has them raised here. */
const limits = z
  .strictObject({
    packageBytes: size.default(PACKAGE_BYTES_MAX),
    itemBytes: size.default(ITEM_BYTES_MAX),
    freeDiskBytes: size.default(FREE_DISK_BYTES_MIN),
  })
  .prefault({});

const anyStore = {
  /** Encryption on our side, before anything leaves this machine. */
  encryption: z.strictObject({ key: secret }).optional(),
};

const localStore = z.strictObject({
  type: z.literal('local'),
  path: z.string().min(1).default('./var/store'),
  /** Authenticates snapshots. @default a file beside the folder, made when it is needed */
  key: secret.optional(),
  ...anyStore,
});

const s3Store = z.strictObject({
  type: z.literal('s3'),
  bucket: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'is not the name of a bucket: 3 to 63 of a-z, 0-9, . and -'),
  /** What stands before every key. */
  prefix: z.string().default('').transform(asFolder),
  endpoint: z.string().superRefine(checkEndpoint).transform(withoutSlash).optional(),
  region: z.string().min(1).optional(),
  /** @default true where there is an endpoint */
  pathStyle: z.boolean().optional(),
  /** Allows plain http to another machine. */
  insecure: z.boolean().default(false),
  /** @default AWS's own chain */
  credentials: z.strictObject({ accessKeyId: secret, secretAccessKey: secret }).optional(),
  sse: z
    .discriminatedUnion(
      'type',
      [
        z.strictObject({ type: z.literal('AES256') }),
        z.strictObject({ type: z.literal('aws:kms'), key: z.string().min(1).optional() }),
      ],
      { error: ({ code }) => (code === 'invalid_union' ? 'write AES256 or aws:kms' : undefined) },
    )
    .optional(),
  /** Authenticates snapshots; several machines need the same. */
  key: secret,
  ...anyStore,
});

const store = z
  .preprocess(
    (given) => (isRecord(given) && given['type'] === undefined ? { ...given, type: 'local' } : given),
    z.discriminatedUnion('type', [localStore, s3Store], {
      error: ({ code }) => (code === 'invalid_union' ? 'write local or s3' : undefined),
    }),
  )
  .prefault({});
export type StoreFile = z.infer<typeof store>;

const isRecord = (given: unknown): given is Record<string, unknown> =>
  typeof given === 'object' && given !== null && !Array.isArray(given);

/** `backups` and `/backups/` are `backups/`. */
function asFolder(text: string): string {
  const bare = text.replace(/^\/+|\/+$/g, '');
  return bare === '' ? '' : `${bare}/`;
}

const hostAndPort = z.string().regex(/^[^\s:/]+:\d+$|^\[[0-9a-f:]+\]:\d+$/i, 'is not HOST:PORT');

/** portolan.yaml. Whatever it does not name is refused, so that a misspelt key is not silently ignored. */
export const configFile = z.strictObject({
  temporal: z
    .strictObject({
      /** @default TEMPORAL_ADDRESS, else localhost:7233 */
      address: hostAndPort.optional(),
      /** @default TEMPORAL_NAMESPACE, else `default` */
      namespace: z.string().min(1).optional(),
      taskQueue: z.string().min(1).default('portolan'),
      /** Folder in which `portolan up` keeps the Temporal server's database. */
      state: z.string().min(1).default('./var/temporal'),
    })
    .prefault({}),
  store,
  limits,
  portals: z.record(name, portal),
  routes: z.record(name, route).default({}),
  schedules: z.record(name, schedule).default({}),
  notify: z.array(notify).default([]),
  /** Where workers tell their metrics, at /metrics. */
  metrics: z.strictObject({ address: hostAndPort }).optional(),
});
export type ConfigFile = z.infer<typeof configFile>;
