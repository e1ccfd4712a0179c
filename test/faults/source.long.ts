import { describe } from '@jest/globals';
import { tryCells } from './cells';

describe('a sync whose source fails once', () => {
  tryCells(({ side }) => side === 'source');
});
