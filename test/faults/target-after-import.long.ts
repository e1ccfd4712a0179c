import { describe } from '@jest/globals';
import { tryCells } from './cells';

describe('a sync whose target fails once, after the import', () => {
  tryCells(({ side, when }) => side === 'target' && when === 'after import');
});
