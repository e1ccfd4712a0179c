import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Config } from '../../config/config';

/** So much of the end of a log is read. @format bytes */
const READ_BYTES = 64 * 1024 * 1024;

export interface LogLines {
  readonly file: string;
  readonly lines: readonly string[];
  /** Its beginning was not read. */
  readonly isCut: boolean;
}

/** Lines of the log of this machine's `portolan up` that name one of these; undefined where there is no log. */
export async function readLogLines(
  { temporal }: Config,
  names: readonly string[],
): Promise<LogLines | undefined> {
  const file = path.join(temporal.state, 'worker.log');
  if (!existsSync(file)) return undefined;
  const { size } = await stat(file);
  const start = Math.max(0, size - READ_BYTES);
  const lines: string[] = [];
  for await (const line of createInterface({ input: createReadStream(file, { start }), crlfDelay: Infinity }))
    if (names.some((name) => line.includes(name))) lines.push(line);
  return { file, lines, isCut: start > 0 };
}
