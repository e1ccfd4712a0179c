import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Config } from '../../config/config';
import { configMark, programVersion } from '../../config/config-mark';
import { PortolanError } from '../../model/errors/errors';
import { mapLimited } from '../../model/map-limited';
import { type RunRecord, runRecord } from '../../model/run/run';
import { oneLine } from '../../model/text/plain-text';
import { countOf } from '../../model/text/words';
import { Secret } from '../../secrets/secret';
import { keys } from '../../store/keys';
import { isNotFound } from '../../temporal/connection';
import { resolveRun } from '../run/find-run';
import { readPlan } from '../run/read-run';
import { readRunEvents } from '../run/run-events';
import { type Noted, readNote, type ReadContext } from '../run/run-sources';
import { seenWorkers } from '../run/workers/seen-workers';
import { STORE_READS_AT_A_TIME } from '../../store/store';
import { type RunBundle, runBundle } from './bundle-file';
import { readKnownSecrets, Redaction } from './redaction';
import { readHistory } from './run-history';

const MB = 1024 * 1024;
/** Maximum size of each part; together well under what `openBundle` accepts. @format bytes */
const most = { history: 8 * MB, events: 2 * MB, log: 2 * MB, plan: 8 * MB, note: 2 * MB, parts: 2 * MB };
/** If a list is cut, this share of it is its beginning and the rest its end. */
const BEGINNING = 0.25;
/** The end of a log that is read. @format bytes */
const LOG_MAX = 64 * MB;

/**
 * All that is known of a run, with secrets removed. It lists what it could not read. Throws as `resolveRun` does.
 * @param text ID, an end of it, or `latest`
 */
export async function makeBundle(sources: ReadContext, text: string): Promise<RunBundle> {
  const { config, store, temporal } = sources;
  const view = await resolveRun(sources, text);
  const { record } = view;
  const secrets = await readKnownSecrets(config);
  const redaction = new Redaction(secrets.values);
  const clean = <T>(value: T): T => redaction.value(value) as T;

  const missing: string[] = [];
  const noted = <T>(what: string, { value, why }: Noted<T>): T | undefined => {
    if (why !== undefined) missing.push(`${what}: ${why.plainMessage}`);
    return value;
  };
  const fetched = async <T>(what: string, work: Promise<T> | undefined): Promise<T | undefined> => {
    try {
      return await work;
    } catch (thrown) {
      const why = isNotFound(thrown) ? 'Temporal no longer has it' : PortolanError.from(thrown).plainMessage;
      missing.push(`${what}: ${why}`);
      return undefined;
    }
  };
  const whole = <T>(what: string, value: T | undefined, bytes: number): T | undefined => {
    const cleaned = clean(value);
    if (cleaned === undefined || sizeOf(cleaned) <= bytes) return cleaned;
    missing.push(`${what}, which is too large`);
    return undefined;
  };
  const ends = <T>(what: string, values: readonly T[] = [], bytes: number): T[] => {
    const cleaned = values.map(clean);
    const kept = endsOf(cleaned, bytes);
    const left = cleaned.length - kept.length;
    if (left > 0) missing.push(`${left} of ${cleaned.length} ${what}, in the middle`);
    return kept;
  };

  const plan = whole('the plan', noted('the plan', await readPlan(store, record)), most.plan);
  const children = await mapLimited(record.children ?? [], STORE_READS_AT_A_TIME, async ({ runId }) => {
    const what = `the record of ${runId}`;
    const child = noted(what, await readNote(store, keys.record(runId), runRecord));
    if (child === undefined) missing.push(`${what}: there is none`);
    return child ?? [];
  });
  const parts = children.flat();
  const notes: Record<string, unknown> = {};
  for (const key of notesOf(record)) {
    const note = whole(key, noted(key, await readNote(store, key, z.unknown())), most.note);
    if (note !== undefined) notes[key] = note;
  }
  if (temporal === undefined) missing.push(`Temporal data: cannot reach ${config.temporal.address}`);
  const events = await fetched('its steps', temporal && readRunEvents(temporal, record.runId));
  const history = await fetched('its history', temporal && readHistory(temporal, record.runId));
  const { taskQueue } = config.temporal;
  const workers = await fetched('the workers', temporal && seenWorkers(temporal, taskQueue));
  const system = await fetched(
    "the server's version",
    temporal?.connection.workflowService.getSystemInfo({}),
  );
  const log = await readLog(config, [record.runId, ...parts.map(({ runId }) => runId)]);
  if (log === undefined) missing.push("the worker's log: no log of portolan up here");
  else if (log.isCut) missing.push(`the beginning of ${log.file}`);
  const bundle = {
    portolanBundle: 1 as const,
    run: record.runId,
    madeAt: new Date().toISOString(),
    versions: clean({
      portolan: programVersion(),
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      temporal: system?.serverVersion,
      config: configMark(config),
      workers: workers ?? [],
    }),
    view: clean(view),
    plan,
    parts: ends('records of child runs', parts, most.parts),
    notes,
    config: clean(shownConfig(config)),
    events: ends('steps', events, most.events),
    workerLog: ends("lines of the worker's log", log?.lines, most.log),
    history: ends('events of the history', history, most.history),
  };
  const inside = [
    `${bundle.run} at ${bundle.madeAt}, saved by Portolan ${programVersion()}. This file is not encrypted: review it before you send it.`,
    `Replaced with ***: ${countOf(secrets.values.length, 'secret')} of the configuration and the environment, values whose names suggest a secret, and arguments of commands.`,
    ...secrets.unread.map((source) => `Not removed, because it cannot be read here: ${source}.`),
    'Not removed: names of portals, groups, items, people and machines, addresses, paths and reasons.',
    ...(config.temporal.encryption
      ? ['temporal.encryption is on: data that Temporal holds encrypted is unencrypted here.']
      : []),
    `Included: the record; ${plan ? 'the plan with its rows' : 'no plan'}; ${countOf(bundle.parts.length, 'record')} of child runs; ${countOf(Object.keys(notes).length, 'state file')} of the store; the configuration; ${countOf(bundle.events.length, 'step')}; ${countOf(bundle.workerLog.length, 'line')} of the worker's log; ${countOf(bundle.history.length, 'event')} of its history in Temporal.`,
    ...missing.map((what) => `Not included: ${what.replace(/\.$/, '')}.`),
  ].map((line) => oneLine(redaction.text(line)));
  return runBundle.parse({ inside, ...bundle });
}

/** State files about the run's results; they hold lists omitted in its record. */
const notesOf = ({ runId }: RunRecord): string[] => [
  keys.ledger(runId),
  keys.verification(runId),
  keys.left(runId),
  keys.undone(runId),
];

interface Log {
  readonly file: string;
  readonly lines: readonly string[];
  /** Its beginning was not read. */
  readonly isCut: boolean;
}

/** Lines of the log of this machine's `portolan up` that name one of these; undefined if there is no log. */
async function readLog({ temporal }: Config, names: readonly string[]): Promise<Log | undefined> {
  const file = path.join(temporal.state, 'worker.log');
  if (!existsSync(file)) return undefined;
  const start = Math.max(0, (await stat(file)).size - LOG_MAX);
  const lines: string[] = [];
  for await (const line of createInterface({ input: createReadStream(file, { start }) }))
    if (names.some((name) => line.includes(name))) lines.push(line);
  return { file, lines, isCut: start > 0 };
}

/** The query of an address, in which others write secrets under any name. */
const query = /(\bhttps?:\/\/[^\s?#"'<>]*)\?[^\s"'<>]*/gi;

/** A configuration as JSON: with its defaults, without secrets, hashes of keys and queries of addresses. */
function shownConfig({ serve, ...rest }: Config): Record<string, unknown> {
  const keys = new Map([...serve.keys].map(([name, key]) => [name, { ...key, sha256: '***' }]));
  return plain({ ...rest, serve: { ...serve, keys } }) as Record<string, unknown>;
}

function plain(value: unknown): unknown {
  if (value instanceof Secret) return `*** (${value.source})`;
  if (value instanceof Map) return plain(Object.fromEntries(value));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'string') return value.replace(query, '$1?***');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** As many as fit: the first ones and, mostly, the last ones. */
function endsOf<T>(entries: readonly T[], bytes: number): T[] {
  const kept = [...entries];
  while (sizeOf(kept) > bytes) kept.splice(kept.length * BEGINNING, Math.ceil(kept.length / 8));
  return kept;
}
