import { describe } from '@jest/globals';
import { tryCells } from './cells';

describe('a sync of what changed, of which a portal fails once', () => {
  tryCells(({ shape }) => shape === 'what changed');
});
