import { z } from 'zod';
import { notifyEvents } from '../model/notification';
import { overlaps, scheduledKinds } from '../model/schedule';
import { settingValue } from '../model/setting-schemas';
import { parseTaskRef, TASK_REF_FORM } from '../model/task-run';
import { ANSWER_WITHIN_MS, FREE_DISK_BYTES_MIN, ITEM_BYTES_MAX, PACKAGE_BYTES_MAX } from '../portal/limits';
import { SAFEGUARD_STAYS_MS } from '../model/retention';
import { portalUrlProblem, withoutSlash } from './portal-url';
import { duration, size } from './units';

/** Names become part of run ids, file names and search attributes. */
export const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/,
    'a name has letters, digits, hyphens, dots and underscores, at most 63',
  );

export const portalId = (what: string) =>
  z
    .string(`write the ${what} in quotes`)
    .regex(/^[A-Za-z0-9_-]+$/, `is not a ${what}: letters, digits and hyphens only`);

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

const howMany = z.int('write a whole number of at least 1').min(1, 'write a whole number of at least 1');

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

const end = { portal: z.string().min(1), group: portalId('group id') };

/** Which snapshots stay; at least one rule. */
const policy = z
  .strictObject({
    last: howMany.optional(),
    hourly: howMany.optional(),
    daily: howMany.optional(),
    weekly: howMany.optional(),
    monthly: howMany.optional(),
    yearly: howMany.optional(),
    within: duration.optional(),
    tags: z.array(z.string().min(1)).min(1).optional(),
  })
  .refine((rules) => Object.values(rules).some((rule) => rule !== undefined), {
    error: 'an empty policy would keep nothing; write at least one rule, such as daily: 14',
  });
export type PolicyFile = z.infer<typeof policy>;

const backup = z
  .strictObject({
    keep: policy.optional(),
    /** How old the last good snapshot may be before that is an alarm. */
    maxAge: duration.optional(),
    tags: z.array(z.string().min(1)).default([]),
    /** How long safeguards stay once their run has ended. */
    safeguards: duration.default(SAFEGUARD_STAYS_MS),
    /** The group into which drills go. */
    drill: z.strictObject(end).optional(),
  })
  .prefault({});

const taskRef = z.string(`write ${TASK_REF_FORM}`).transform((text, context) => {
  const parsed = parseTaskRef(text);
  if (parsed === undefined) context.addIssue({ code: 'custom', message: `write ${TASK_REF_FORM}` });
  return parsed ?? z.NEVER;
});

const banner = z.strictObject({
  text: z.string().trim().min(1, 'has no text'),
  bgColor: settingValue.colour.default('#ffde00'),
  fontColor: settingValue.colour.default('#000000'),
});

const route = z.strictObject({
  source: z.strictObject(end),
  target: z.strictObject({
    ...end,
    folder: portalId('folder id').optional(),
    folderOwner: z.string().min(1).optional(),
  }),
  overwrite: z.boolean().default(false),
  data: z.enum(['keep', 'replace']).default('keep'),
  approval: z.enum(['none', 'ask', 'required']).default('ask'),
  items: z.array(portalId('item id')).min(1).optional(),
  keepPackages: z.boolean().default(false),
  taskRun: taskRef.optional(),
  banner: banner.optional(),
  jobDeadline: duration.default(6 * 3_600_000),
  answerWithin: duration.default(7 * 86_400_000),
  store: z
    .strictObject({
      keep: z
        .strictObject({ succeeded: duration.default(0), failed: duration.default(7 * 86_400_000) })
        .prefault({}),
    })
    .prefault({}),
  backup,
});
export type RouteFile = z.infer<typeof route>;

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
