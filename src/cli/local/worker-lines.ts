import { oneLine } from '../../model/text/plain-text';
import type { Style } from '../terminal/style';
import { secondWords } from '../../model/text/words';

/** The fields of a log line that people read. */
interface LogLine {
  readonly level?: number;
  readonly time?: string;
  readonly msg?: string;
  readonly workflowId?: string;
  readonly activityType?: string;
  readonly attempt?: number;
  readonly err?: LoggedError;
  readonly error?: LoggedError;
}

interface LoggedError {
  readonly message?: string;
  readonly cause?: LoggedError;
}

const WARNING = 40;
const ERROR = 50;

/** Messages the SDK logs at every start and stop. */
const routine = /^(Worker state changed|No (Nexus services|workflows) registered)/;

/**
 * Formats a JSON line of a worker's log for a terminal: time, message, run and cause.
 * @returns undefined for what is routine
 */
export function workerLine(json: string, { colors }: Style): string | undefined {
  const { level = 0, time = '', msg = '', workflowId, activityType, attempt, err, error } = lineOf(json);
  if (routine.test(msg)) return undefined;
  const about = [
    activityType,
    attempt === undefined || attempt < 2 ? undefined : `attempt ${attempt}`,
    workflowId,
  ].filter((each) => each !== undefined);
  const causes = causesOf(err ?? error);
  const text = [
    oneLine(msg),
    about.length === 0 ? '' : `(${about.map(oneLine).join(', ')})`,
    ...(causes.length === 0 ? [] : [`<- ${causes.map(oneLine).join(' <- ')}`]),
  ]
    .filter((part) => part !== '')
    .join(' ');
  const painted = level >= ERROR ? colors.red(text) : level >= WARNING ? colors.yellow(text) : text;
  return `${colors.dim(time === '' ? '' : secondWords(time))}  ${painted}`;
}

function lineOf(json: string): LogLine {
  try {
    return JSON.parse(json) as LogLine;
  } catch {
    return { msg: json };
  }
}

function causesOf(error: LoggedError | undefined): string[] {
  const messages: string[] = [];
  for (let each = error; each !== undefined && each !== null; each = each.cause)
    if (each.message !== undefined) messages.push(each.message);
  return [...new Set(messages)];
}
