import { shellWord } from '../../model/text/words';

const PLAIN = 'portolan';
let name = PLAIN;
let config = '';

/** Has commands that are named to people begin with what they typed: `npx portolan`. */
export function setCalledAs(typed: string): void {
  name = typed;
}

/** Adds the typed `--config FILE`, if any, to commands in messages. */
export function setTypedConfig(file: string | undefined): void {
  config = file === undefined ? '' : ` --config ${shellWord(file)}`;
}

/** How this process was started, from the variables npm sets. */
export const calledBy = ({ npm_command: verb, npm_lifecycle_event: script }: NodeJS.ProcessEnv): string =>
  verb === 'exec' || script?.split(':')[0] === 'demo' ? `npx ${PLAIN}` : PLAIN;

/** Commands without a configuration. */
const worlds: ReadonlySet<string> = new Set(['demo', 'simulate']);

/** A color code, as after a label. @format a pattern */
export const colorChange = `${String.fromCharCode(27)}\\[[\\d;]*m`;

let pattern = '(?!)';
let named = new RegExp(pattern, 'g');
let whole: ReadonlySet<string> = new Set();

/** The words of any command, longer ones first: `task-run update` before `task-run`. @format a pattern */
export const commandPattern = (): string => pattern;

/** Tells what a command is called. @default no text names one */
export function setCommandWords(words: readonly string[]): void {
  pattern = [...new Set(words.flatMap((each) => [each, each.split(' ')[0] ?? each]))]
    .sort((a, b) => b.length - a.length)
    .join('|');
  named = new RegExp(`(?<!npx )(?<=^|[^\\w./-]|${colorChange})${PLAIN} (${pattern})\\b`, 'g');
  whole = new Set(words.filter((each) => !worlds.has(each)));
}

/** Rewrites `portolan` commands in a text so that they can be typed here. */
export const asCalled = (text: string): string =>
  name === PLAIN && config === ''
    ? text
    : text.replace(named, (_, words: string) => `${name} ${words}${whole.has(words) ? config : ''}`);
