import { Client } from '@temporalio/client';
import type { Config } from '../config/config';
import { contract, type OperationId } from '../contract/contract';
import { changesNothing, type How, type Needs, type Operation } from '../contract/operation';
import { PortolanError } from '../model/errors/errors';
import type { TemporalClient } from '../temporal/connection';
import type { Context } from './context';
import { handlers } from './handlers';
import { type Caller, May } from './may';
import type { ReadContext } from './run/run-sources';
import { notifyingFailedStart } from './start/failed-start';

/** What operations are carried out with: on this machine, or in a server for all who ask. */
export interface Sources {
  readonly config: Config;
  /** Where the configuration was read from. @default its path */
  readonly file?: string;
  open<T>(needs: Needs, work: (found: ReadContext) => Promise<T>, withinMs?: number): Promise<T>;
}

/** Who asks for an operation, and how. */
export interface Call extends How {
  readonly caller: Caller;
  /** Takes one of the turns that a caller has. @default there is no limit */
  readonly turn?: <T>(work: (signal?: AbortSignal) => Promise<T>) => Promise<T>;
}

/** Time limits over HTTP for reading, and for starting and changing things. @format milliseconds */
const READ_WITHIN_MS = 5_000;
const CHANGED_WITHIN_MS = 45_000;

type Handler = (context: Context, input: unknown) => Promise<unknown>;

/**
 * Carries out an operation. Throws `RIGHT_MISSING` for what the caller may not do.
 * @param input as the operation describes it, already checked
 */
export async function call(
  id: OperationId,
  input: Readonly<Record<string, unknown>>,
  sources: Sources,
  { caller, turn = (work) => work(), signal, say = () => undefined, requestId, attended = false }: Call,
): Promise<unknown> {
  const asked: Operation = contract[id];
  const { at, right, needs, withinMs, starts, turn: takesTurn } = asked;
  const may = new May(caller);
  may.have(right);
  const { who, identity } = caller;
  const by = { file: sources.file, asker: { who, identity }, may, say, requestId, attended };
  const requireAsked = (): void => {
    if (!may.wasAsked) throw new TypeError(`${id} changes something and does not ask who may`);
  };
  const changes = !changesNothing(asked, input);
  const work = (until = signal, begins?: () => void): Promise<unknown> =>
    sources.open(
      needs,
      (found) => {
        const given = changes ? guarded(found, requireAsked) : found;
        return (handlers[id] as Handler)({ ...given, ...by, signal: until, begins }, input);
      },
      withinMs ?? (at.startsWith('POST') ? CHANGED_WITHIN_MS : READ_WITHIN_MS),
    );
  const isTurn = typeof takesTurn === 'function' ? takesTurn(input) : takesTurn === true;
  const answer = await (starts
    ? notifyingFailedStart(sources.config, { id, input, caller, say }, (begins) => work(signal, begins))
    : isTurn
      ? turn(work)
      : work());
  if (changes) requireAsked();
  return answer;
}

/** What can be called in store and Temporal before anybody asked who may change something. */
const reads = /^(readJson|list|names|openFile|room|(count|describe|get|query)[A-Z]\w*|list[A-Z]\w*)$/;

/** Store and Temporal in which nothing is changed before `may` was asked. */
function guarded({ store, temporal, ...found }: ReadContext, requireAsked: () => void): ReadContext {
  const guard = <T extends object>(guardedOne: T): T =>
    new Proxy(guardedOne, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (!reads.test(String(name))) requireAsked();
        return value.bind(target) as unknown;
      },
    });
  return { ...found, store: guard(store), temporal: temporal && withGuard(temporal, guard) };
}

function withGuard(temporal: TemporalClient, guard: <T extends object>(one: T) => T): TemporalClient {
  const { workflowService, operatorService } = temporal.connection;
  const connection = Object.create(temporal.connection, {
    workflowService: { value: guard(workflowService) },
    operatorService: { value: guard(operatorService) },
  }) as TemporalClient['connection'];
  const { loadedDataConverter: dataConverter, ...options } = temporal.client.options;
  return { ...temporal, connection, client: new Client({ ...options, connection, dataConverter }) };
}

/** The input of an operation, checked. Throws `USAGE` with every problem. */
export function checkedInput(id: OperationId, given: unknown): Readonly<Record<string, unknown>> {
  const { success, data, error } = contract[id].input.safeParse(given);
  if (success) return data;
  const words = error.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('/')}: ${message}`))
    .join('; ');
  throw new PortolanError('USAGE', words.slice(0, 500));
}
