import type { Call } from '../../http/call';
import type { ItemRecord } from '../../state/records';

type Writable<T> = { -readonly [K in keyof T]?: T[K] };

/** Fields of an item as addItem, update and commit send them; only those that were sent. */
export function itemFields({ params }: Call): Partial<ItemRecord> {
  const fields: Writable<ItemRecord> = {};
  for (const name of ['title', 'type', 'culture'] as const) {
    const value = params.text(name);
    if (value !== undefined) fields[name] = value;
  }
  for (const name of ['description', 'snippet', 'url', 'accessInformation', 'spatialReference'] as const) {
    if (params.has(name)) fields[name] = params.text(name) ?? null;
  }
  const licence = params.text('licenseinfo') ?? params.text('licenseInfo');
  if (licence !== undefined || params.has('licenseinfo') || params.has('licenseInfo'))
    fields.licenseInfo = licence ?? null;
  for (const name of ['tags', 'typeKeywords', 'categories'] as const) {
    if (params.has(name)) fields[name] = params.list(name) ?? [];
  }
  const properties = params.json('properties');
  if (typeof properties === 'object' && properties !== null)
    fields.properties = properties as Record<string, unknown>;
  else if (params.has('properties')) fields.properties = null;
  const extent = params.text('extent')?.split(',').map(Number);
  if (extent?.length === 4 && extent.every((number) => !Number.isNaN(number))) {
    fields.extent = [extent.slice(0, 2), extent.slice(2)];
  } else if (params.has('extent')) fields.extent = [];
  return fields;
}
