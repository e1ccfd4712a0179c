import { z } from 'zod';
import { colorOf } from './color';
import { noticeButtons, type SettingType } from './portal-settings';

const url = z
  .string('write a URL in quotes')
  .refine(isWebAddress, 'is not a URL; write it as https://HOST/PATH');

/** The schema of each type of value in a settings file. */
export const settingValue = {
  boolean: z.boolean('write true or false, without quotes'),
  text: z.string('write text, in quotes if it looks like a number or a YAML keyword'),
  buttons: z.enum(noticeButtons),
  color: z
    .string('write a color in quotes: a # starts a comment')
    .refine(
      (text) => colorOf(text) !== undefined,
      'is not a color; write a CSS name such as gold, or hexadecimal such as "#ffd700"',
    ),
  minutes: z
    .int('write a whole number of minutes, without quotes')
    .min(1, 'write a whole number of minutes, at least 1'),
  url,
  texts: z.array(z.string('write text').min(1, 'is empty'), 'write a list, [ONE, OTHER]'),
  links: z.array(z.unknown(), 'write a list, [ONE, OTHER]'),
  'text or false': z.union(
    [z.string().min(1), z.literal(false)],
    'write a host name, or false without quotes',
  ),
} as const satisfies Record<SettingType, z.ZodType>;

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && !/\s/.test(text);
}
