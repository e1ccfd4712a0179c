import { describe, expect, it } from '@jest/globals';
import { Scrubber } from '../../../src/portal/http/scrubber';

describe('a portal message', () => {
  it('loses known secrets in any encoding', () => {
    const scrubber = new Scrubber();
    scrubber.learn('pass word/"1"');
    scrubber.learnPassing('job-key-1');
    const words = 'pass word/"1", pass%20word%2F%221%22, pass+word%2F%221%22, pass word/\\"1\\", job-key-1';
    expect(scrubber.scrub(words)).toBe('***, ***, ***, ***, ***');
  });

  it('keeps words too short to be secrets', () => {
    const scrubber = new Scrubber();
    scrubber.learn('the');
    scrubber.learnPassing(undefined);
    expect(scrubber.scrub('the words')).toBe('the words');
  });

  it('loses the latest passing secrets, and lasting ones always', () => {
    const scrubber = new Scrubber();
    scrubber.learn('the-password');
    for (let number = 0; number < 2_000; number += 1) {
      scrubber.learnPassing(`key-${number}-of-a-job`);
      scrubber.learnPassing('token-in-use');
    }
    const scrub = (word: string) => scrubber.scrub(word);
    expect(['the-password', 'token-in-use', 'key-1999-of-a-job', 'key-1600-of-a-job'].map(scrub)).toEqual(
      Array(4).fill('***'),
    );
    expect(scrub('key-3-of-a-job')).toBe('key-3-of-a-job');
  });
});
