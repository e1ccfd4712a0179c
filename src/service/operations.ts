import { setTimeout as sleep } from 'node:timers/promises';
import { type Contract, contract, eachOperation, type OperationId } from '../contract/contract';
import type { Api, Operation, Watch } from '../contract/operation';
import { Patience } from '../contract/patience';
import { type Call, call, checkedInput, type Sources } from './call';

/** @format milliseconds */
const LOOK_EVERY_MS = 400;

type Values = Readonly<Record<string, unknown>>;
type Ask = (id: OperationId, input: Values) => Promise<unknown>;

/** Operations within this process, as this caller. */
export const operationsOf = (sources: Sources, by: Call): Api<Contract> =>
  eachOperation((id) => (given, how) => {
    const ask: Ask = (asked, input) => call(asked, checkedInput(asked, input), sources, { ...by, ...how });
    const { watch } = contract[id] as Operation;
    return watch ? watched(id, watch, given, ask, how.signal) : ask(id, given);
  });

/** The input that means the same each time. */
export const meantInput = async ({ meant }: Watch, input: Values, ask: Ask): Promise<Values> =>
  meant ? meant.input(await ask(meant.by as OperationId, input)) : input;

async function* watched(
  id: OperationId,
  watch: Watch,
  given: Values,
  ask: Ask,
  signal?: AbortSignal,
): AsyncGenerator {
  const input = await meantInput(watch, given, ask);
  let patience: Patience | undefined;
  while (!signal?.aborted) {
    try {
      const answer = await ask(id, input);
      (patience ??= new Patience()).renew();
      yield answer;
      if (watch.isOver?.(answer)) return;
    } catch (thrown) {
      // What cannot be seen at all is reported at once.
      if (!patience) throw thrown;
      patience.bear(thrown);
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}
