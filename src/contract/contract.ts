import { answerOperations } from './answers';
import { documentOperations } from './documents';
import { freezeOperations } from './freezes';
import { hookOperations } from './hooks';
import { liveOperations } from './live';
import type { Api, How, Operation } from './operation';
import { queueOperations } from './queues';
import { routeOperations } from './routes';
import { runOperations } from './runs';
import { scheduleOperations } from './schedules';
import { startOperations } from './starts';
import { statusOperations } from './status';
import { pipelineOperations } from './pipelines';
import { releaseOperations } from './releases';
import { snapshotOperations } from './snapshots';

/** Operations by what they are about: the tags of the API description. */
export const operationsByTag = {
  documents: documentOperations,
  freezes: freezeOperations,
  hooks: hookOperations,
  live: liveOperations,
  queues: queueOperations,
  routes: routeOperations,
  runs: { ...runOperations, ...answerOperations },
  schedules: scheduleOperations,
  starts: startOperations,
  status: statusOperations,
  pipelines: pipelineOperations,
  releases: releaseOperations,
  snapshots: snapshotOperations,
} as const;

/** Every operation, by its ID. Routes, API description, HTTP client and calls within a process are made from it. */
export const contract = {
  ...answerOperations,
  ...documentOperations,
  ...freezeOperations,
  ...hookOperations,
  ...liveOperations,
  ...queueOperations,
  ...routeOperations,
  ...runOperations,
  ...scheduleOperations,
  ...startOperations,
  ...statusOperations,
  ...pipelineOperations,
  ...releaseOperations,
  ...snapshotOperations,
};

export type Contract = typeof contract;
export type OperationId = keyof Contract;

/** What can be asked of Portolan. A caller cannot tell a server from the store and Temporal of this machine. */
export type Portolan = Api<Contract> & {
  /** Where requests go, for people: the configuration file, or the URL of the server. */
  readonly place: { readonly label: 'config' | 'server'; readonly words: string };
  /** Where the worker of this machine writes its log, if there is one. */
  readonly workerLog?: string;
};

/** Every operation as a function. @param make gives the function of one, which promises its answer or its stream */
export const eachOperation = (
  make: (
    id: OperationId,
  ) => (input: Readonly<Record<string, unknown>>, how: How) => Promise<unknown> | AsyncGenerator,
): Api<Contract> =>
  Object.fromEntries(
    (Object.keys(contract) as OperationId[]).map((id) => {
      const ask = make(id);
      const { stream }: Operation = contract[id];
      return [
        id,
        (input = {}, how: How = {}) =>
          stream === undefined ? ask(input, how) : streamed(() => ask(input, how)),
      ];
    }),
  ) as unknown as Api<Contract>;

async function* streamed(ask: () => Promise<unknown> | AsyncGenerator): AsyncGenerator<unknown> {
  yield* (await ask()) as AsyncGenerator<unknown>;
}
