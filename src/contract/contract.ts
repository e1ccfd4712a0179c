import { answerOperations } from './answers';
import { freezeOperations } from './freezes';
import { liveOperations } from './live';
import type { Api, How } from './operation';
import { runOperations } from './runs';
import { startOperations } from './starts';

/** Operations by what they are about: the tags of the API description. */
export const operationsByTag = {
  freezes: freezeOperations,
  live: liveOperations,
  runs: { ...runOperations, ...answerOperations },
  starts: startOperations,
} as const;

/** Every operation, by its ID. Routes, API description, HTTP client and calls within a process are made from it. */
export const contract = {
  ...answerOperations,
  ...freezeOperations,
  ...liveOperations,
  ...runOperations,
  ...startOperations,
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

/** Every operation as a function. @param make gives the function of one */
export const eachOperation = (
  make: (
    id: OperationId,
  ) => (input: Readonly<Record<string, unknown>>, how: How) => Promise<unknown> | AsyncGenerator,
): Api<Contract> =>
  Object.fromEntries(
    (Object.keys(contract) as OperationId[]).map((id) => {
      const ask = make(id);
      return [id, (input = {}, how: How = {}) => ask(input, how)];
    }),
  ) as unknown as Api<Contract>;
