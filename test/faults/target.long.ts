import { describe } from '@jest/globals';
import { tryCells } from './cells';

describe('a sync whose target fails once, up to the import', () => {
  tryCells(({ side, when }) => side === 'target' && when !== 'after import');
});
