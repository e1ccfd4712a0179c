import { commandsWithExamples } from './examples';

const PLAIN = 'portolan';
let name = PLAIN;

/** Has commands that are named to people begin with what they typed: `npx portolan`. */
export function setCalledAs(typed: string): void {
  name = typed;
}

/** How this process was called, by what npm tells a command that it starts. */
export const calledBy = ({ npm_command: verb, npm_lifecycle_event: script }: NodeJS.ProcessEnv): string =>
  verb === 'exec' || script === 'demo' ? `npx ${PLAIN}` : PLAIN;

const words = new Set(commandsWithExamples.map((command) => command.split(' ')[0]));
const command = new RegExp(`(?<![\\w./-]|npx )${PLAIN} (?=(?:${[...words].join('|')})\\b)`, 'g');

/** A text for people, in which commands of ours are named as they can be typed here. */
export const asCalled = (text: string): string => (name === PLAIN ? text : text.replace(command, `${name} `));
