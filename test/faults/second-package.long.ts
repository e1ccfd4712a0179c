import { describe } from '@jest/globals';
import { tryCells } from './cells';

describe('a sync in two packages whose source fails once, at the second', () => {
  tryCells(({ shape, side }) => shape === 'two packages' && side === 'source');
});

describe('a sync in two packages whose target fails once, at the second', () => {
  tryCells(({ shape, side }) => shape === 'two packages' && side === 'target');
});
