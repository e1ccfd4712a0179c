import { statSync } from 'node:fs';
import path from 'node:path';
import type { ErrorCode } from '../../src/model/errors/error-codes';
import type { RunStatus } from '../../src/model/run/phase';
import type { RunRecord } from '../../src/model/run/run';
import type { Pair, Side } from './pair';
import type { Replies } from './wire';
import { isStored, type World } from './world';

/** What a hostile portal or a publisher does, and how the route of that portal ends. */
export interface Harm {
  readonly what: string;
  /** What the portal answers in place of an honest one. */
  readonly replies: Replies;
  /** @default 'source' */
  readonly side?: Side;
  /** What somebody has published in its group. */
  readonly furnish?: (pair: Pair) => Promise<void>;
  readonly ends: RunStatus;
  readonly code?: ErrorCode;
  /** Of the error, what says how much was too much. */
  readonly says?: RegExp;
}

const MB = 1024 ** 2;

/** What a worker may hold more than that of the undisturbed run. @format bytes */
const GROWTH_MAX = 400 * MB;
/** @format bytes */
const FILE_MAX = 5_000_000;

/** What a harm has done besides ending its own run; one that is parked is given up. */
export async function harmed(world: World, harm: Harm, record: RunRecord, peak: number): Promise<string[]> {
  const { error, runId, status } = record;
  if (status === 'parked') {
    await world.typed('run', 'cancel', runId);
    await world.reached(runId, ({ finishedAt }) => finishedAt !== undefined);
  }
  // Its last files are written behind its record.
  await world.closed(runId);
  const end = [status, error?.code].filter(Boolean).join(' ');
  const due = [harm.ends, harm.code].filter(Boolean).join(' ');
  const files = world
    .stored()
    .filter((name) => name.includes(runId))
    .map((name) => ({ name, seen: statSync(path.join(world.storeFolder, name)) }))
    .filter(({ seen }) => seen.isFile());
  const largest = Math.max(...files.map(({ seen }) => seen.size));
  const grown = (await world.peak()) - peak;
  process.stderr.write(
    `${harm.what}: ${end}, grown by ${Math.round(grown / MB)} MB, largest file ${largest}\n`,
  );
  return [
    ...(end === due ? [] : [`ended ${end}, not ${due}: ${error?.message}`]),
    ...(harm.says?.test(error?.message ?? '') === false ? [`said ${error?.message}`] : []),
    ...files.filter(({ name }) => !isStored.test(name)).map(({ name }) => `left ${name}`),
    ...(largest < FILE_MAX ? [] : [`left ${largest} bytes`]),
    ...(grown < GROWTH_MAX ? [] : [`grew by ${grown} bytes`]),
  ];
}
