import { commandsWithExamples } from './examples';
import { typedWord } from './typed-options';

const PLAIN = 'portolan';
let name = PLAIN;
let config = '';

/** Has commands that are named to people begin with what they typed: `npx portolan`. */
export function setCalledAs(typed: string): void {
  name = typed;
}

/** Has commands that are named to people go to the configuration that they typed, if any: `--config FILE`. */
export function setTypedConfig(file: string | undefined): void {
  config = file === undefined ? '' : ` --config ${typedWord(file)}`;
}

/** How this process was called, by what npm tells a command that it starts. */
export const calledBy = ({ npm_command: verb, npm_lifecycle_event: script }: NodeJS.ProcessEnv): string =>
  verb === 'exec' || script?.split(':')[0] === 'demo' ? `npx ${PLAIN}` : PLAIN;

/** These have a world of their own, and no configuration. */
const worlds: ReadonlySet<string> = new Set(['demo', 'simulate']);

/** Of commands of one beginning, the longest is meant: `task-run update` and not `task-run`. @format a pattern */
export const commandWords = [
  ...new Set(commandsWithExamples.flatMap((words) => [words, words.split(' ')[0] ?? words])),
]
  .sort((a, b) => b.length - a.length)
  .join('|');
/** A change of color, such as that behind a label. @format a pattern */
export const colorChange = `${String.fromCharCode(27)}\\[[\\d;]*m`;
const named = new RegExp(`(?<!npx )(?<=^|[^\\w./-]|${colorChange})${PLAIN} (${commandWords})\\b`, 'g');
const whole: ReadonlySet<string> = new Set(commandsWithExamples.filter((words) => !worlds.has(words)));

/** A text for people, in which commands of ours are named as they can be typed here. */
export const asCalled = (text: string): string =>
  name === PLAIN && config === ''
    ? text
    : text.replace(named, (_, words: string) => `${name} ${words}${whole.has(words) ? config : ''}`);
