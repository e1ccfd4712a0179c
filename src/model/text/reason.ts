import { z } from 'zod';

/** A typed reason. */
export const reasonText = z.string().min(1).max(2_000);
