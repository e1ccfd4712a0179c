import { afterAll, beforeAll } from '@jest/globals';
import { type Beginning, restarts } from '../cli/run/restarts';
import startTemporal from '../support/start-temporal';
import stopTemporal from '../support/stop-temporal';

beforeAll(startTemporal, 120_000);

const all: readonly Beginning[] = ['preview', 'upload', 'export', 'guard'];
restarts({
  failed: all,
  'failed and kept its packages': all,
  'ended partial': all,
  'was cancelled before its package was there': all,
  'was cancelled while it was parked': all,
  succeeded: all,
});

afterAll(stopTemporal);
