import { describe } from '@jest/globals';
import { tryCells } from './cells';
import { isOfAll } from './endpoints';

describe('a sync whose target fails once, up to the import', () => {
  tryCells((endpoint) => isOfAll(endpoint) && endpoint.side === 'target' && endpoint.when !== 'after import');
});
