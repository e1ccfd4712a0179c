import { z } from 'zod';

/** Why somebody does something, as they type it. */
export const reasonText = z.string().min(1).max(2_000);
