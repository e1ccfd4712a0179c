import { expect, it } from '@jest/globals';
import { inProcess } from '../support/in-process';

/** As a suite finds it, before commands have one of their own. */
const own: NodeJS.EventEmitter = process;

it('a command that is typed in a suite’s own process leaves others their listeners there', async () => {
  expect((await inProcess(['--version'])).status).toBe(0);
  const told: string[] = [];
  own.on('told', (words: string) => told.push(words));
  // Node counts the names of what is listened to, and forgets all of them at none: by that jest was no longer heard.
  for (let round = 0; round < 50; round += 1) {
    const listen = (): void => undefined;
    process.on('heard', listen);
    own.off('heard', listen);
  }
  own.emit('told', 'still');
  expect(told).toEqual(['still']);
  own.removeAllListeners('told');
});
