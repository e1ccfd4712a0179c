import type { HookField } from './file/hook-schema';
import type { Right } from './file/serve-schema';
import type { ReferenceMap } from '../model/release/reference-map';
import type { NotifyEvent } from '../model/run/notification';
import type { PortalPolicy } from '../model/run/policy';
import type { Approval, DataPolicy, Limits, RouteOptions } from '../model/transfer/route';
import type { StoreConfig } from '../store/store-config';
import type { RetentionPolicy } from '../model/snapshot/retention';
import type { ScheduleSpec } from '../model/schedule/schedule';
import type { TaskRef } from '../model/portal-change/task-run';
import type { OwnerMap } from '../model/transfer/apply-placement';
import type { Secret } from '../secrets/secret';
import type { KeySource } from '../secrets/key-source';

/** portolan.yaml, compiled: defaults filled in, paths absolute, units resolved, secrets still unread. */
export interface Config {
  /** The file it was read from. */
  readonly path: string;
  readonly temporal: TemporalConfig;
  readonly store: StoreConfig;
  /** Authenticates the snapshots of the store. @default a file beside the store's folder, made when it is needed */
  readonly storeKey: KeySource;
  readonly control: ControlConfig;
  /** Address where workers serve metrics. @default nowhere */
  readonly metrics?: { readonly address: string };
  /** Receiver of traces. @default as the variables of OpenTelemetry say, or nobody */
  readonly tracing?: TracingConfig;
  readonly serve: ServeConfig;
  readonly limits: Limits;
  readonly portals: ReadonlyMap<string, PortalConfig>;
  readonly routes: ReadonlyMap<string, RouteConfig>;
  readonly pipelines: ReadonlyMap<string, PipelineConfig>;
  readonly schedules: ReadonlyMap<string, ScheduleSpec>;
  readonly notify: readonly NotifyConfig[];
  readonly hooks: ReadonlyMap<string, HookConfig>;
}

export interface TracingConfig {
  /** Where a receiver of OTLP over HTTP is, without `/v1/traces` and without a slash at the end. */
  readonly endpoint: string;
  /** `name=value,name=value`. @default none */
  readonly headers?: Secret;
  /** Which part of traces is sent, from 0 to 1. @default as OTEL_TRACES_SAMPLER says, or all */
  readonly sample?: number;
}

/** A hook: whoever has its secret can start one thing. */
export interface HookConfig {
  readonly name: string;
  /** Each is accepted. */
  readonly secrets: readonly Secret[];
  /** What it starts: a sync, or a promotion. */
  readonly starts: { readonly route: string } | { readonly pipeline: string; readonly stage: string };
  /** Fields the caller can set. */
  readonly allow: readonly HookField[];
}

/** Settings of `portolan serve`. */
export interface ServeConfig {
  /** `HOST:PORT`. @default 127.0.0.1:8350 */
  readonly address: string;
  /** URL for others. @default by its address */
  readonly url?: string;
  /** Absolute paths of a certificate and its key. @default plain http */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Addresses and networks of trusted proxies. @default none */
  readonly proxies: readonly string[];
  /** Callers need no key. */
  readonly open: boolean;
  readonly keys: ReadonlyMap<string, ServeKey>;
  /** Where people sign in. @default nobody does */
  readonly signIn?: SignInConfig;
  /** Whose pages may have payloads decrypted, as browsers write them. @default nobody may */
  readonly codec?: { readonly origins: readonly string[] };
}

export interface SignInConfig {
  /** Name of the portal. */
  readonly portal: string;
  /** ID of the application registered there for this server. */
  readonly appId: string;
  readonly people: readonly PeopleConfig[];
  /** @format milliseconds */
  readonly sessionMs: number;
}

/** People, named in any of these ways, and their rights. */
export interface PeopleConfig extends Allowance {
  readonly users?: readonly string[];
  /** Ids of groups of the portal. */
  readonly groups?: readonly string[];
  /** Roles of the portal; IDs for custom roles. */
  readonly roles?: readonly string[];
}

/** A key of a machine, by its hash. */
export interface ServeKey extends Allowance {
  readonly name: string;
  readonly sha256: string;
}

/** Rights of a caller of the API. */
export interface Allowance {
  readonly rights: readonly Right[];
  /** Routes for rights beyond viewing. @default all */
  readonly routes?: readonly string[];
  /** Pipelines for rights beyond viewing. @default all */
  readonly pipelines?: readonly string[];
}

export interface TemporalConfig {
  /** `HOST:PORT` of the server's gRPC port. @default TEMPORAL_ADDRESS, else localhost:7233 */
  readonly address: string;
  /** @default TEMPORAL_NAMESPACE, else `default` */
  readonly namespace: string;
  /** Task queue of workflows and activities; transfers use `<taskQueue>-transfer`. @default 'portolan' */
  readonly taskQueue: string;
  /** Folder in which `portolan up` keeps the server's database. @default ./var/temporal */
  readonly state: string;
  readonly worker: WorkerTuning;
  /** Encryption of payloads. @default they are in clear */
  readonly encryption?: EncryptionConfig;
}

/** Limits of one worker. */
export interface WorkerTuning {
  /** Workflow tasks at a time. @default 40 */
  readonly workflowTasks: number;
  /** @default 100 */
  readonly activities: number;
  /** @default 4 */
  readonly transfers: number;
  /** Shares of memory and CPU, from 0 to 1, above which no work is taken. @default as many as the numbers say */
  readonly resources?: { readonly memory: number; readonly cpu: number };
  /** Open polls per kind of task. @default 10 */
  readonly pollers: number | 'autoscaling';
  /** Cached runs. @default by the heap that Node may have */
  readonly cachedRuns?: number;
  /** Name of the Worker Deployment whose builds runs keep to. @default runs go on with any worker */
  readonly deployment?: string;
  /** How long a workflow task waits for the worker that caches the run. @format milliseconds @default 2 s */
  readonly stickyMs: number;
}

export interface EncryptionConfig {
  /** Each decrypts. */
  readonly keys: readonly { readonly id: string; readonly key: Secret }[];
  /** Whether the first one encrypts what is written. */
  readonly write: boolean;
}

export interface ControlConfig {
  /** Signs starts and answers. @default the file `var/control.key` beside portolan.yaml, made when it is needed */
  readonly key: KeySource;
  /** How long what was signed is good for. @format milliseconds @default 7 days */
  readonly maxAgeMs: number;
}

export type AuthConfig =
  | { readonly type: 'password'; readonly username: string; readonly secret: Secret }
  | { readonly type: 'token'; readonly secret: Secret }
  | { readonly type: 'apiKey'; readonly secret: Secret }
  | { readonly type: 'clientCredentials'; readonly clientId: string; readonly secret: Secret };

export interface PortalConfig {
  readonly name: string;
  /** `{base_url}`, without a slash at the end. */
  readonly url: string;
  readonly auth: AuthConfig;
  /** File with a certificate in PEM form. */
  readonly ca?: string;
  readonly proxy?: string;
  readonly aliases: readonly string[];
  readonly insecure: boolean;
  /** Time to the start of a response. @format milliseconds */
  readonly responseTimeoutMs: number;
  /** Exports and imports that it is given at a time. @default one of each */
  readonly concurrency: { readonly exports: number; readonly imports: number };
  /** `scratch`: drills may import into it. */
  readonly role?: 'scratch';
  /** Policy for writes. @default routes decide */
  readonly policy: PortalPolicy;
}

export interface RouteConfig {
  readonly name: string;
  readonly source: { readonly portal: string; readonly group: string };
  readonly target: {
    readonly portal: string;
    readonly group: string;
    readonly folder?: string;
    readonly folderOwner?: string;
  };
  readonly options: Pick<
    RouteOptions,
    | 'overwrite'
    | 'data'
    | 'approval'
    | 'items'
    | 'exclude'
    | 'take'
    | 'fullEveryMs'
    | 'keepPackages'
    | 'banner'
    | 'jobDeadlineMs'
    | 'decisionTimeoutMs'
    | 'keep'
  >;
  /** The portal task that runs of the route report to. */
  readonly taskRun?: TaskRef;
  readonly backup: BackupConfig;
}

/** Retention, alerts and drills of a route's backups. */
export interface BackupConfig {
  /** @default all are kept */
  readonly keep?: RetentionPolicy;
  /** Age of the last full backup at which everything is exported again. @format milliseconds @default it always is */
  readonly fullEveryMs?: number;
  /** Maximum age of the last good snapshot. @format milliseconds */
  readonly maxAgeMs?: number;
  /** Tags of every snapshot of the route. */
  readonly tags: readonly string[];
  /** How long safeguards of its runs stay once these have ended. @format milliseconds @default 30 days */
  readonly safeguardsMs: number;
  /** Portal and group for drills. */
  readonly drill?: { readonly portal: string; readonly group: string };
}

/** Groups that are promoted together through stages. */
export interface PipelineConfig {
  readonly name: string;
  /** Names of its groups, in their order. */
  readonly groups: readonly string[];
  /** Whether a release holds the settings of the first stage's portal. */
  readonly settings: boolean;
  /** Whether it holds its category schema. */
  readonly categories: boolean;
  /** In the first stage, releases are created. */
  readonly stages: readonly StageConfig[];
}

export interface StageConfig {
  readonly name: string;
  readonly portal: string;
  /** Id of its group for each name of the pipeline's. */
  readonly groups: Readonly<Record<string, string>>;
  /** The stage that a release comes from; none of the first one. */
  readonly after?: string;
  /** Checks that must pass before a release is verified there. @default none */
  readonly checks?: readonly CheckConfig[];
  /** Replacements for URLs and item IDs. @default nothing */
  readonly map?: ReferenceMap;
  /** Owners of new items. @default the account that imports */
  readonly owners?: OwnerMap;
  /** Soak time. @format milliseconds */
  readonly soakMs: number;
  readonly onFailure: 'park' | 'rollback';
  readonly onWindowClose: 'wait' | 'finish';
  readonly approval: Approval;
  readonly data: DataPolicy;
  /** Whether a promotion gives the portal the settings, or the category schema, that the release holds. */
  readonly settings: boolean;
  readonly categories: boolean;
}

/** A check of a stage. It is the same on every machine: commands start in the folder of portolan.yaml. */
export type CheckConfig = {
  /** No other check of the stage has it. */
  readonly name: string;
  /** Time limit of each attempt. @format milliseconds */
  readonly withinMs: number;
  /** How often it may be tried. */
  readonly tries: number;
} & (
  | {
      /** Program and arguments. */
      readonly command: readonly [string, ...string[]];
    }
  | {
      readonly url: string;
      /** HTTP status that it has to answer with. */
      readonly status: number;
    }
);

/** A receiver of notifications. */
export type NotifyConfig = {
  /** Its position in portolan.yaml, such as `notify.0`. */
  readonly setting: string;
  /** Its name. @default its place */
  readonly name: string;
  readonly on: readonly NotifyEvent[];
} & (
  | {
      /** Program and arguments. */
      readonly command: readonly [string, ...string[]];
      /** Folder that it is started in. */
      readonly folder: string;
    }
  | {
      /** Its URL, which for most chat services is a secret: it is all that is needed to post there. */
      readonly webhook: Secret;
      /** Secrets that sign each post. @default none, and it is not signed */
      readonly secrets: readonly Secret[];
      readonly insecure: boolean;
    }
);
