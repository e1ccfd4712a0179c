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
  /** Where workers tell their metrics. @default nowhere */
  readonly metrics?: { readonly address: string };
  /** To whom traces are sent. @default as the variables of OpenTelemetry say, or nobody */
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

/** A hook that comes in: who has a secret of it may start one thing. */
export interface HookConfig {
  readonly name: string;
  /** Each of them is taken. */
  readonly secrets: readonly Secret[];
  /** What it starts: a sync, or a promotion. */
  readonly starts: { readonly route: string } | { readonly pipeline: string; readonly stage: string };
  /** What whoever calls it may say. */
  readonly allow: readonly HookField[];
}

/** Where and to whom `portolan serve` answers. */
export interface ServeConfig {
  /** `HOST:PORT`. @default 127.0.0.1:8350 */
  readonly address: string;
  /** Under which others reach it. @default by its address */
  readonly url?: string;
  /** Absolute paths of a certificate and its key. @default plain http */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Addresses and networks of proxies that are believed for whom they ask. @default none */
  readonly proxies: readonly string[];
  /** Whoever asks is answered, without a key. */
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
  /** Of the application that is registered there for this server. */
  readonly appId: string;
  readonly people: readonly PeopleConfig[];
  /** @format milliseconds */
  readonly sessionMs: number;
}

/** Who is meant by any of these, and what they may do. */
export interface PeopleConfig extends Allowance {
  readonly users?: readonly string[];
  /** Ids of groups of the portal. */
  readonly groups?: readonly string[];
  /** Of the portal; ids of custom ones. */
  readonly roles?: readonly string[];
}

/** A key of a machine, by its hash. */
export interface ServeKey extends Allowance {
  readonly name: string;
  readonly sha256: string;
}

/** What somebody may do over HTTP. */
export interface Allowance {
  readonly rights: readonly Right[];
  /** Names of the routes with which more may be done than looking. @default all */
  readonly routes?: readonly string[];
  /** The same of pipelines. @default all */
  readonly pipelines?: readonly string[];
}

export interface TemporalConfig {
  /** `HOST:PORT` of the server's gRPC port. @default TEMPORAL_ADDRESS, else localhost:7233 */
  readonly address: string;
  /** @default TEMPORAL_NAMESPACE, else `default` */
  readonly namespace: string;
  /** Calls to portals; files travel on `<taskQueue>-transfer`. @default 'portolan' */
  readonly taskQueue: string;
  /** Folder in which `portolan up` keeps the server's database. @default ./var/temporal */
  readonly state: string;
  readonly worker: WorkerTuning;
  /** With what payloads are encrypted. @default they are in clear */
  readonly encryption?: EncryptionConfig;
}

/** How much one worker does at a time. */
export interface WorkerTuning {
  /** Steps of runs. @default 40 */
  readonly workflowTasks: number;
  /** @default 100 */
  readonly activities: number;
  /** @default 4 */
  readonly transfers: number;
  /** Parts of the machine's, from 0 to 1, up to which steps and calls are taken. @default as many as the numbers say */
  readonly resources?: { readonly memory: number; readonly cpu: number };
  /** Requests for work of each kind that are open at a time. @default 10 */
  readonly pollers: number | 'autoscaling';
  /** Runs whose state stays in memory. @default by the heap that Node may have */
  readonly cachedRuns?: number;
  /** Name of the Worker Deployment whose builds runs keep to. @default runs go on with any worker */
  readonly deployment?: string;
  /** How long a step waits for the worker that has its run in memory. @format milliseconds @default 2 s */
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
  /** How long the portal may take to begin an answer. @format milliseconds */
  readonly responseTimeoutMs: number;
  /** Exports and imports that it is given at a time. @default one of each */
  readonly concurrency: { readonly exports: number; readonly imports: number };
  /** `scratch`: drills may import into it. */
  readonly role?: 'scratch';
  /** What writes into it have to keep to. @default routes decide */
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
  /** The portal's own scheduled task that is notified how runs of the route go. */
  readonly taskRun?: TaskRef;
  readonly backup: BackupConfig;
}

/** What a route's backups are kept by, watched by, and tried with. */
export interface BackupConfig {
  /** @default all are kept */
  readonly keep?: RetentionPolicy;
  /** Everything is exported where that was last done so long ago. @format milliseconds @default it always is */
  readonly fullEveryMs?: number;
  /** The last good snapshot of a route that has backups may be so old before it is an alarm. @format milliseconds */
  readonly maxAgeMs?: number;
  /** RunContext by every snapshot of the route. */
  readonly tags: readonly string[];
  /** How long safeguards of its runs stay once these have ended. @format milliseconds @default 30 days */
  readonly safeguardsMs: number;
  /** Where its snapshots are tried. */
  readonly drill?: { readonly portal: string; readonly group: string };
}

/** Groups that go together through stages. */
export interface PipelineConfig {
  readonly name: string;
  /** Names of its groups, in their order. */
  readonly groups: readonly string[];
  /** Whether a release holds the settings of the first stage's portal. */
  readonly settings: boolean;
  /** Whether it holds its category schema. */
  readonly categories: boolean;
  /** The first one is where releases are made. */
  readonly stages: readonly StageConfig[];
}

export interface StageConfig {
  readonly name: string;
  readonly portal: string;
  /** Id of its group for each name of the pipeline's. */
  readonly groups: Readonly<Record<string, string>>;
  /** The stage that a release comes from; none of the first one. */
  readonly after?: string;
  /** What has to pass before a release is verified there. @default none */
  readonly checks?: readonly CheckConfig[];
  /** What a promotion writes in place of addresses and ids of items that are other ones there. @default nothing */
  readonly map?: ReferenceMap;
  /** Who owns what a promotion creates there. @default the account that imports */
  readonly owners?: OwnerMap;
  /** For how long a release must have stood verified there. @format milliseconds */
  readonly soakMs: number;
  readonly onFailure: 'park' | 'rollback';
  readonly onWindowClose: 'wait' | 'finish';
  readonly approval: Approval;
  readonly data: DataPolicy;
  /** Whether a promotion gives the portal the settings, or the category schema, that the release holds. */
  readonly settings: boolean;
  readonly categories: boolean;
}

/** A check of a stage. It holds nothing of one machine: a command is started in the folder of portolan.yaml. */
export type CheckConfig = {
  /** No other check of the stage has it. */
  readonly name: string;
  /** A try that takes longer is ended. @format milliseconds */
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

/** Somebody who is notified when something happens to a run. */
export type NotifyConfig = {
  /** Its place in portolan.yaml, such as `notify.0`. */
  readonly setting: string;
  /** What people call it. @default its place */
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
      /** Its address, which in most chats is all that is needed to write there. */
      readonly webhook: Secret;
      /** What is posted there is signed with each. @default none, and it is not signed */
      readonly secrets: readonly Secret[];
      readonly insecure: boolean;
    }
);
