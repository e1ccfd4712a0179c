import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import { fileRunId } from '../../model/run/run-id';
import { runRecord } from '../../model/run/run';
import { jsonText, shortened } from '../../model/text/plain-text';
import { plan } from '../../model/transfer/plan';
import { runEvent, runView } from '../../contract/runs';
import { seenWorker } from '../run/workers/seen-worker-view';

/** Maximum size, compressed and uncompressed. @format bytes */
const BYTES_MAX = 48 * 1024 * 1024;
/** Longer texts are cut, since a column is as wide as its widest one. @format characters */
const TEXT_MAX = 2_000;

const loose = z.record(z.string(), z.unknown());

/** Everything known about a run in one file, for a person without access to its Temporal and store. */
export const runBundle = z.object({
  portolanBundle: z.literal(1),
  /** What it contains, what was removed and what is missing, one line each, for people. */
  inside: z.array(z.string()),
  run: z.string(),
  /** ISO 8601, in UTC. */
  madeAt: z.iso.datetime(),
  versions: z.object({
    portolan: z.string(),
    node: z.string(),
    platform: z.string(),
    /** Version of the Temporal server, if it responded. */
    temporal: z.string().optional(),
    /** Fingerprint of the configuration, to be compared with those of workers. */
    config: z.string(),
    workers: z.array(seenWorker),
  }),
  /** Everything that `run show` shows. */
  view: runView,
  plan: plan.optional(),
  /** Records of its child runs, in order. */
  parts: z.array(runRecord),
  /** Its state files, by key. */
  notes: loose,
  config: loose,
  /** Events, as in `run logs`. */
  events: z.array(runEvent),
  /** Log lines that name the run or a child run. */
  workerLog: z.array(z.string()),
  /** The last execution's history, decoded. */
  history: z.array(loose),
});
export type RunBundle = Readonly<z.infer<typeof runBundle>>;

export const bundleName = (runId: string): string => `${fileRunId(runId)}.portolan-bundle.json.gz`;

/** Content of the file: JSON whose beginning people can read. */
export const packBundle = (bundle: RunBundle): Promise<Buffer> => promisify(gzip)(jsonText(bundle, 1));

/** Reads a bundle from someone else: its size and shape are checked, its content is not. Throws USAGE. */
export async function openBundle(file: string): Promise<RunBundle> {
  const bytes = await buffer(createReadStream(file, { end: BYTES_MAX })).catch(
    ({ code }: NodeJS.ErrnoException) => {
      throw new PortolanError('USAGE', `${file} cannot be read (${code}).`, {
        hint: 'Choose an existing bundle, made with: portolan run bundle RUN',
      });
    },
  );
  const checked = runBundle.safeParse(await unpacked(file, bytes));
  if (checked.success) return checked.data;
  const where = shortened(checked.error.issues[0]?.path.join('.') ?? '');
  throw refused(file, `is not a bundle of this version of Portolan: ${where || 'it'} is invalid`);
}

/** @param saw continues the name of the file */
export const refused = (file: string, saw: string): PortolanError =>
  new PortolanError('USAGE', `${file} ${saw}.`, {
    hint: 'Ask for a new one, made with: portolan run bundle RUN',
  });

async function unpacked(file: string, bytes: Buffer): Promise<unknown> {
  try {
    const text = await promisify(gunzip)(bytes, { maxOutputLength: BYTES_MAX });
    return JSON.parse(text.toString(), (_name, value: unknown) =>
      typeof value === 'string' ? shortened(value, TEXT_MAX) : value,
    );
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE' || bytes.length > BYTES_MAX)
      throw refused(file, 'is too large for a Portolan bundle');
    if (code === 'Z_BUF_ERROR') throw refused(file, 'is cut off: its end is missing');
    // The parser's message would quote the file.
    throw refused(file, 'is damaged, or not a Portolan bundle');
  }
}
