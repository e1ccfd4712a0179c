import { z } from 'zod';
import { settingObjectNames } from '../../../model/portal-change/portal-settings';

/** Settings in the store: what a change is to bring about, and what it found. */
export const desiredNote = z.partialRecord(
  z.enum(settingObjectNames),
  z.record(z.string(), z.unknown()).nullable(),
);
