import { oneLine } from './plain-text';

/** Portals return -1 for an unknown size. */
export const itemSizeWords = (size: number | undefined): string =>
  size === undefined || size < 0 ? '?' : bytesText(size);

/** A time that was measured: `0.8s`, `41.2s`, `2m31s`, `1h02m`, `3d04h`. Configured durations use `exactDuration`. */
export function durationWords(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)}m${pad(whole % 60)}s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)}h${pad(minutes % 60)}m`;
  const hours = Math.floor(minutes / 60);
  return `${Math.floor(hours / 24)}d${pad(hours % 24)}h`;
}

const pad = (value: number): string => String(value).padStart(2, '0');

/** `214 310`: digits in groups of three. */
export const countWords = (count: number): string => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ' ');

/** `1 item`, `2 items`. */
export const countOf = (count: number, noun: string, plural = `${noun}s`): string =>
  `${countWords(count)} ${count === 1 ? noun : plural}`;

/** The first lines of a list, then how many more there are. @param count of the whole list */
export function listFirst(lines: readonly string[], most: number, count = lines.length): string[] {
  const shown = lines.slice(0, most);
  return count > shown.length ? [...shown, `and ${count - shown.length} more`] : shown;
}

/** `9f2c..e1`: an ID, shortened to eight characters. */
export function shortId(id: string): string {
  const shown = oneLine(id);
  return shown.length > 12 ? `${shown.slice(0, 4)}..${shown.slice(-2)}` : shown;
}

/** `2026-11-20 16:02Z`, or in the time zone of TZ: `2026-11-20 17:02+01:00`. */
export const timeWords = (at: string | number): string => momentWords(at, 16);

/** `2026-11-20 16:02:07Z`: a time to the second. */
export const secondWords = (at: string | number): string => momentWords(at, 19);

function momentWords(at: string | number, length: number): string {
  const moment = new Date(at);
  const offset = process.env.TZ ? -moment.getTimezoneOffset() : 0;
  const local = new Date(moment.getTime() + offset * 60_000).toISOString().slice(0, length).replace('T', ' ');
  if (offset === 0) return `${local}Z`;
  const minutes = Math.abs(offset);
  return `${local}${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

/** `waits until 2026-11-23 19:00Z`. */
export const windowWords = ({ until }: { readonly until: string }): string =>
  `waits until ${timeWords(until)}`;

/** A word quoted for a shell. */
export const shellWord = (word: string): string =>
  /^[\w.:/@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

export const quoted = (title: string): string => `"${oneLine(title)}"`;

/** `staging "Transport" (9f2c..e1)`. */
export function endWords(
  end: { portal: string; groupId?: string; groupTitle?: string },
  { withId = true } = {},
): string {
  const title = end.groupTitle === undefined ? '' : ` ${quoted(end.groupTitle)}`;
  if (!withId && title !== '') return `${end.portal}${title}`;
  return end.groupId === undefined ? end.portal : `${end.portal}${title} (${shortId(end.groupId)})`;
}

interface Ends {
  /** A change of a portal from a file has none. */
  readonly source?: { readonly portal: string; readonly groupId?: string; readonly groupTitle?: string };
  /** A backup has none. */
  readonly target?: Ends['source'];
}

/** `staging "Transport" (9f2c..e1) -> production "Transport" (47ab..03)`. */
export const routeWords = ({ source, target }: Ends): string =>
  source
    ? `${endWords(source)} -> ${target ? endWords(target) : 'the store'}`
    : target
      ? endWords(target)
      : 'the store';

/** Names of the portals of a route. */
export const portalsOf = ({ source, target }: Ends): string[] =>
  [source, target].flatMap((end) => (end ? [end.portal] : []));

/** Bytes in words for people, such as `1.9 GB`, `84 MB` and `512 bytes`; units are powers of 1024, as in portolan.yaml. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  let figure = bytes;
  let unit = 0;
  while (figure >= 1024 && unit < units.length - 1) {
    figure /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || figure >= 100 ? 0 : 1;
  return `${figure.toFixed(digits).replace(/\.0$/, '')} ${units[unit]}`;
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** `90m`: a duration as portolan.yaml has it, in the largest unit that says it exactly. */
export function exactDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0';
  const [unit, size] = units.find(([, each]) => milliseconds % each === 0) ?? ['ms', 1];
  return `${milliseconds / size}${unit}`;
}
