import { restarts } from './restarts';

/** The most telling endings and phases; all of them are in `npm run test:chaos`. */
restarts({
  failed: ['preview'],
  'was cancelled while it was parked': ['preview'],
  succeeded: ['guard'],
});
