import path from 'node:path';
import { z } from 'zod';
import type { CheckConfig } from './config';
import type { CheckFile } from './file/check-schema';
import { checkUrlProblem } from './portal-url';

const COMMAND_WITHIN_MS = 5 * 60_000;
const URL_WITHIN_MS = 30_000;

const text = z.string().optional().catch(undefined);

const plainCheck = z
  .object({
    name: text,
    command: z
      .union([z.string(), z.array(z.string()).min(1)])
      .optional()
      .catch([]),
    url: text,
    status: z.unknown().optional(),
    insecure: z.boolean().optional().catch(undefined),
  })
  .catch({ command: [] });

/** The parts of a stage's checks that are checked here; the schema reports malformed values. */
export const plainChecks = z.array(plainCheck).catch([]);
type PlainCheck = z.infer<typeof plainCheck>;

/** Default name of a check. */
const nameOf = ({ name, command, url }: Pick<CheckFile, 'name' | 'command' | 'url'>): string | undefined => {
  if (name !== undefined) return name;
  const [program] = typeof command === 'string' ? [command] : (command ?? []);
  if (program !== undefined) return path.basename(program);
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
};

/** Problems of a stage's checks, each with its place. */
export function checkProblems(place: string, checks: readonly PlainCheck[]): string[] {
  const names = checks.map(nameOf);
  return checks.flatMap((check, index) => {
    const at = `${place}.checks.${index}`;
    const { command, url, status, insecure } = check;
    if ((command === undefined) === (url === undefined)) return [`${at}: set either command or url`];
    const unfit = url === undefined ? undefined : checkUrlProblem(url, insecure ?? false);
    const ofUrls = Object.entries({ status, insecure }).filter(([, value]) => value !== undefined);
    return [
      ...(unfit === undefined ? [] : [`${at}.url: ${unfit}`]),
      ...(url === undefined ? ofUrls.map(([key]) => `${at}.${key}: needs url`) : []),
      ...(names[index] !== undefined && names.indexOf(names[index]) < index
        ? [`${at}: another check is named ${names[index]}; give one of them another name`]
        : []),
    ];
  });
}

/** A check of the file, with defaults filled in. */
export function compileCheck(given: CheckFile): CheckConfig {
  const { command, url, status = 200, within, tries } = given;
  const common = { name: nameOf(given) ?? '', tries };
  if (command !== undefined) {
    const [program = '', ...args] = typeof command === 'string' ? [command] : command;
    return { ...common, withinMs: within ?? COMMAND_WITHIN_MS, command: [program, ...args] };
  }
  if (url === undefined) throw new TypeError(`check ${common.name} needs a command or a url`);
  return { ...common, withinMs: within ?? URL_WITHIN_MS, url, status };
}
