import { freezeHandlers } from './freeze/freezes';
import type { Handlers } from './context';

/** What carries out each operation of the contract. */
export const handlers: Handlers = { ...freezeHandlers };
