import { describe } from '@jest/globals';
import { tryCells } from './cells';
import { isOfAll } from './endpoints';

describe('a sync whose source fails once', () => {
  tryCells((endpoint) => isOfAll(endpoint) && endpoint.side === 'source');
});
