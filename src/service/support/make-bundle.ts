import { z } from 'zod';
import { configMark, programVersion } from '../../config/config-mark';
import { PortolanError } from '../../model/errors/errors';
import { mapLimited } from '../../model/map-limited';
import { type RunRecord, runRecord } from '../../model/run/run';
import { oneLine, shortened } from '../../model/text/plain-text';
import { countOf } from '../../model/text/words';
import { keys } from '../../store/keys';
import { isNotFound } from '../../temporal/connection';
import { resolveRun } from '../run/find-run';
import { readPlan } from '../run/read-run';
import { readRunEvents } from '../run/run-events';
import { readNote, type ReadContext } from '../run/run-sources';
import type { SeenWorker } from '../run/workers/seen-worker-view';
import { seenWorkers } from '../run/workers/seen-workers';
import { BUNDLE_FORMAT, ROWS_MAX, type RunBundle, runBundle } from './bundle-view';
import { readKnownSecrets } from './known-secrets';
import { readLogLines } from './log-lines';
import { Redaction } from './redaction';
import { type HistoryEvent, readHistory } from './run-history';
import { shownConfig } from './shown-config';
import { STORE_READS_AT_A_TIME } from '../../store/store';

const MB = 1024 * 1024;
/** What of each part goes in at most: all of them are well under what is opened. @format bytes */
const most = { history: 10 * MB, events: 2 * MB, log: 3 * MB, plan: 8 * MB, note: 2 * MB, parts: 4 * MB };
/** Of a list that is cut, such a part is its beginning; the rest is its end. */
const BEGINNING = 0.25;
/** A longer line of a log is cut. @format characters */
const LINE_MAX = 8_000;
const PARTS_MAX = 1_000;
const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/**
 * All that is known of a run, with secrets taken out. Where Temporal is out of reach it says so, and has what the store
 * holds. Throws as `resolveRun` does. @param text id, an end of it, or `latest`
 */
export async function makeBundle(sources: ReadContext, text: string): Promise<RunBundle> {
  const { config, store } = sources;
  const { ui: _here, ...view } = await resolveRun(sources, text);
  const { record } = view;
  const secrets = await readKnownSecrets(config);
  const redaction = new Redaction(secrets.values);
  const clean = <T>(value: T): T => redaction.value(value) as T;
  const missing: string[] = [];

  const { value: planned, why } = await readPlan(store, record);
  if (why !== undefined) missing.push(`the plan: ${why.plainMessage}`);
  const isLong = (planned?.rows.length ?? 0) > ROWS_MAX;
  if (isLong) missing.push('the plan, which has too many rows');
  const plan = isLong ? undefined : within(clean(planned), most.plan, 'the plan', missing);
  const parts = await readParts(sources, record, missing);
  const notes: Record<string, unknown> = {};
  for (const key of notesOf(record)) {
    const { value, why } = await readNote(store, key, z.unknown());
    if (why !== undefined) missing.push(`${key}: ${why.plainMessage}`);
    const note = within(clean(value), most.note, key, missing);
    if (note !== undefined) notes[key] = note;
  }
  const told = await readTold(sources, record.runId, missing);
  const names = [record.runId, ...parts.map(({ runId }) => runId)];
  const log = await readLogLines(config, names);
  if (log === undefined) missing.push("the worker's log: no log of portolan up here");
  else if (log.isCut) missing.push(`the beginning of ${log.file}`);
  const lines = (log?.lines ?? []).map((line) => shortened(redaction.text(line), LINE_MAX));
  const bundle = {
    view: clean(view),
    plan,
    parts: fitting(clean(parts), most.parts, 'records of child runs', missing),
    notes,
    config: clean(shownConfig(config)),
    events: fitting(clean(told.events), most.events, 'steps', missing),
    workerLog: fitting(lines, most.log, "lines of the worker's log", missing),
    history: fitting(told.history.map(clean), most.history, 'events of the history', missing),
  };
  const versions = {
    portolan: programVersion(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    temporal: told.server,
    config: configMark(config),
    workers: told.workers,
  };
  const madeAt = new Date().toISOString();
  const inside = [
    `${record.runId} at ${madeAt}, saved by Portolan ${versions.portolan}. This file is not encrypted: review it before you send it.`,
    `Replaced with ***: ${countOf(secrets.values.length, 'secret')} of the configuration and the environment, values whose names suggest a secret, and arguments of commands.`,
    ...secrets.unread.map((source) => `Not removed, because it cannot be read here: ${source}.`),
    'Not removed: names of portals, groups, items, people and machines, addresses, paths and reasons.',
    ...(config.temporal.encryption
      ? ['temporal.encryption is on: data that Temporal holds encrypted is unencrypted here.']
      : []),
    `Included: the record; ${plan ? 'the plan with its rows' : 'no plan'}; ${countOf(bundle.parts.length, 'record')} of child runs; ${countOf(Object.keys(notes).length, 'state file')} of the store; the configuration; ${countOf(bundle.events.length, 'step')}; ${countOf(bundle.workerLog.length, 'line')} of the worker's log; ${countOf(bundle.history.length, 'event')} of its history in Temporal.`,
    ...missing.map((what) => `Not included: ${what.replace(/\.$/, '')}.`),
  ].map((line) => oneLine(redaction.text(line)));
  return runBundle.parse({
    portolanBundle: BUNDLE_FORMAT,
    inside,
    run: record.runId,
    madeAt,
    versions: clean(versions),
    ...bundle,
  });
}

/** State files about the run's results; they hold lists omitted in its record. */
const notesOf = ({ runId }: RunRecord): string[] => [
  keys.ledger(runId),
  keys.verification(runId),
  keys.left(runId),
  keys.undone(runId),
];

async function readParts(
  { store }: ReadContext,
  { children = [] }: RunRecord,
  missing: string[],
): Promise<RunRecord[]> {
  const wanted = children.slice(0, PARTS_MAX);
  if (children.length > wanted.length)
    missing.push(countOf(children.length - wanted.length, 'record of a child run', 'records of child runs'));
  const found = await mapLimited(wanted, STORE_READS_AT_A_TIME, async ({ runId }) => {
    const { value, why } = await readNote(store, keys.record(runId), runRecord);
    if (value === undefined) missing.push(`the record of ${runId}: ${why?.plainMessage ?? 'there is none'}`);
    return value === undefined ? [] : [value];
  });
  return found.flat();
}

interface Told {
  readonly events: Awaited<ReturnType<typeof readRunEvents>>;
  readonly history: readonly HistoryEvent[];
  readonly workers: readonly SeenWorker[];
  readonly server?: string;
}

/** Data from Temporal; gaps are listed with their reasons. */
async function readTold({ temporal, config }: ReadContext, runId: string, missing: string[]): Promise<Told> {
  const nothing: Told = { events: [], history: [], workers: [] };
  if (temporal === undefined) {
    missing.push(`Temporal data: cannot reach ${config.temporal.address}`);
    return nothing;
  }
  const orMissing = async <T>(what: string, work: Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work;
    } catch (thrown) {
      const why = isNotFound(thrown) ? 'Temporal no longer has it' : PortolanError.from(thrown).plainMessage;
      missing.push(`${what}: ${why}`);
      return otherwise;
    }
  };
  const { workflowService } = temporal.connection;
  return {
    events: await orMissing('its steps', readRunEvents(temporal, runId), nothing.events),
    history: await orMissing('its history', readHistory(temporal, runId), nothing.history),
    workers: await orMissing(
      'the workers',
      seenWorkers(temporal, config.temporal.taskQueue),
      nothing.workers,
    ),
    server: (await orMissing("the server's version", workflowService.getSystemInfo({}), undefined))
      ?.serverVersion,
  };
}

/** Adds it unless it is too large; then lists it as missing. */
function within<T>(value: T | undefined, bytes: number, what: string, missing: string[]): T | undefined {
  if (value === undefined || sizeOf(value) <= bytes) return value;
  missing.push(`${what}, which is too large`);
  return undefined;
}

/** As many as go in: of too many the first ones and, mostly, the last ones. */
function fitting<T>(entries: readonly T[], bytes: number, what: string, missing: string[]): T[] {
  const sizes = entries.map(sizeOf);
  if (sizes.reduce((sum, size) => sum + size, 0) <= bytes) return [...entries];
  let room = bytes * BEGINNING;
  let head = 0;
  while (room > (sizes[head] ?? Infinity)) room -= sizes[head++] ?? 0;
  room += bytes * (1 - BEGINNING);
  let tail = entries.length;
  while (tail > head && room > (sizes[tail - 1] ?? Infinity)) room -= sizes[--tail] ?? 0;
  missing.push(`${tail - head} of ${entries.length} ${what}, in the middle`);
  return [...entries.slice(0, head), ...entries.slice(tail)];
}
