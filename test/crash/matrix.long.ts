import { describe, it } from '@jest/globals';
import { kills } from './kills';
import { moments } from './moments';
import { expectSurvival } from './survival';

describe.each(kills)('a run survives kill -9 of $of', (kill) => {
  it.each(moments)('while $when', (moment) => expectSurvival(kill, moment), 240_000);
});
