import { restarts } from './restarts';

/** Each ending from its most telling phases; all of them are in `npm run test:chaos`. */
restarts({
  failed: ['preview', 'export'],
  'failed and kept its packages': ['preview'],
  'ended partial': ['upload'],
  'was cancelled before its package was there': ['preview'],
  'was cancelled while it was parked': ['preview'],
  succeeded: ['guard'],
});
