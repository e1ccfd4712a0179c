import { restarts } from './restarts';

/** Endings from their most telling phases; all of them are in `npm run test:chaos`. */
restarts({
  failed: ['preview'],
  'failed and kept its packages': [],
  'ended partial': [],
  'was cancelled before its package was there': [],
  'was cancelled while it was parked': ['preview'],
  succeeded: ['guard'],
});
