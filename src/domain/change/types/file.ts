import { labeled, type Shape, type TypeTable, within } from '../shape';

/** The beginning of a sha256. */
export const hash = (label: string): Shape => ({
  label,
  show: (value) => (typeof value === 'string' ? value.slice(0, 12) : undefined),
});

/** Data that is no JSON, such as that of a table, a picture or a survey. */
export const fileShape = within({ size: labeled('file size'), sha256: hash('file content') });

/** Forms keep questions, design and settings in JSON beside their file. */
export const file: TypeTable = {
  types: ['Form'],
  hasDrafts: true,
  data: within({
    questions: labeled('questions'),
    theme: labeled('theme'),
    settings: labeled('settings'),
    layerName: labeled('layer'),
  }),
};
